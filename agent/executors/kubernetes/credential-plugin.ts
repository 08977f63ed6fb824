import { z } from "zod";
import { jobEnvironment } from "../shared/environment.ts";
import { errorCode, errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import type { Programs } from "../../programs/program.ts";
import { runProcessGroup } from "../shared/process-group.ts";
import { besideKubeconfig } from "./credential-files.ts";
import type { KubeconfigCluster, KubeconfigExec, KubeconfigUser } from "./kubeconfig.ts";

const PLUGIN_TIMEOUT_MS = 30_000;
const SAID_MAX_CHARS = 300;
const VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

const answerSchema = z.object({
  kind: z.literal("ExecCredential"),
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});

interface PluginCall {
  /** The file that names the plugin; a relative command counts from its folder. */
  kubeconfig: string;
  cluster: KubeconfigCluster;
  signal: AbortSignal;
  programs: Programs;
}

/**
 * Runs a kubeconfig's `exec` (Kubernetes, "client-go credential plugins") and reads the credential that it prints. The
 * program finds what other programs find here, and the variables that the kubeconfig names; nothing to type into.
 */
export async function runCredentialPlugin(
  exec: KubeconfigExec,
  { kubeconfig, cluster, signal, programs }: PluginCall,
): Promise<KubeconfigUser> {
  const fail = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `The credential plugin ${exec.command} of ${kubeconfig} ${problem}`);
  if (!VERSIONS.includes(exec.apiVersion))
    throw fail(`speaks ${exec.apiVersion}; this agent knows ${VERSIONS.join(" and ")}.`);
  if (exec.interactiveMode === "Always")
    throw fail("wants to ask somebody (interactiveMode: Always). Use an account of a service.");
  const command = /[/\\]/u.test(exec.command) ? besideKubeconfig(kubeconfig, exec.command) : exec.command;
  const given = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  const limit = AbortSignal.timeout(PLUGIN_TIMEOUT_MS);
  const end = await runProcessGroup(programs.start, [command, ...(exec.args ?? [])], {
    env: { ...jobEnvironment(programs), ...given, KUBERNETES_EXEC_INFO: execInfo(exec, cluster) },
    signal: AbortSignal.any([signal, limit]),
    secrets: [],
  }).catch((error: unknown) => {
    const hint = (exec.installHint ?? "").trim().slice(0, SAID_MAX_CHARS);
    const remedy = hint === "" ? "Install it on the agent's host." : hint;
    const why = errorCode(error) === "ENOENT" ? "is not installed" : `could not be started: ${errorMessage(error)}`;
    throw fail(`${why}. ${remedy}`);
  });
  if (signal.aborted) throw jobEnded("The credential plugin of the kubeconfig was ended; nothing was sent.");
  if (end.aborted) throw fail(`did not end within ${PLUGIN_TIMEOUT_MS / 1_000} s, and was ended.`);
  if (end.exitCode !== 0) {
    const said = end.streams.stderr.read().text.trim().split("\n").at(-1)?.slice(0, SAID_MAX_CHARS) ?? "";
    throw fail(
      `ended with exit code ${end.exitCode}${said === "" ? "" : `: ${said}`}. Run it by hand as the account that jobs have.`,
    );
  }
  // What it printed is never quoted: it is a credential.
  const status = answer(end.streams.stdout.read().text);
  if (status === null) throw fail("did not print an ExecCredential.");
  const { token = "", clientCertificateData: cert = "", clientKeyData: key = "" } = status;
  if (token === "" && (cert === "" || key === ""))
    throw fail("printed neither a token nor a client certificate with its key.");
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
  return {
    ...(token === "" ? {} : { token }),
    ...(cert === "" || key === "" ? {} : { "client-certificate-data": base64(cert), "client-key-data": base64(key) }),
  };
}

function answer(printed: string): z.infer<typeof answerSchema>["status"] | null {
  try {
    return answerSchema.parse(JSON.parse(printed)).status;
  } catch {
    return null;
  }
}

function execInfo({ apiVersion, provideClusterInfo }: KubeconfigExec, cluster: KubeconfigCluster): string {
  const { server, "certificate-authority-data": data } = cluster;
  const info = { server, ...(data ? { "certificate-authority-data": data } : {}) };
  const spec = { interactive: false, ...(provideClusterInfo === true ? { cluster: info } : {}) };
  return JSON.stringify({ apiVersion, kind: "ExecCredential", spec });
}
