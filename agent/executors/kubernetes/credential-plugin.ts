import { dirname, resolve } from "node:path";
import { z } from "zod";
import { jobEnvironment } from "../shared/environment.ts";
import { errorCode, errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import type { Programs } from "../../programs/program.ts";
import { runProcessGroup } from "../shared/process-group.ts";

const PLUGIN_TIMEOUT_MS = 30_000;
const SAID_MAX_CHARS = 300;

/** A kubeconfig's `exec`. */
export const execSchema = z.object({
  apiVersion: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().nullish(),
  provideClusterInfo: z.boolean().nullish(),
});

const text = z.string().min(1);
const token = z.object({ token: text });
const certificate = z.object({ clientCertificateData: text, clientKeyData: text });
const answerSchema = z.object({
  kind: z.literal("ExecCredential"),
  status: z.union([token.extend(certificate.shape), certificate, token]),
});

interface PluginCall {
  /** The file that names the plugin. A relative command is relative to its folder. */
  kubeconfig: string;
  server: string;
  authorities: string | null;
  signal: AbortSignal;
  programs: Programs;
}

/**
 * Runs a kubeconfig's `exec` (Kubernetes, "client-go credential plugins") as a job, and parses the credential that it
 * prints. The program gets the environment of other jobs and the variables that the kubeconfig names, and no terminal.
 */
export async function runCredentialPlugin(
  { apiVersion, command, args, env, installHint, provideClusterInfo }: z.infer<typeof execSchema>,
  { kubeconfig, server, authorities, signal, programs }: PluginCall,
): Promise<{ token?: string; cert?: string; key?: string }> {
  const fail = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `The credential plugin ${command} of ${kubeconfig} ${problem}`);
  const program = /[/\\]/u.test(command) ? resolve(dirname(kubeconfig), command) : command;
  const data =
    authorities === null ? {} : { "certificate-authority-data": Buffer.from(authorities).toString("base64") };
  const spec = { interactive: false, ...(provideClusterInfo === true ? { cluster: { server, ...data } } : {}) };
  const end = await runProcessGroup(programs.start, [program, ...(args ?? [])], {
    env: {
      ...jobEnvironment(programs),
      ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify({ apiVersion, kind: "ExecCredential", spec }),
    },
    signal: AbortSignal.any([signal, AbortSignal.timeout(PLUGIN_TIMEOUT_MS)]),
    secrets: [],
  }).catch((error: unknown) => {
    const why = errorCode(error) === "ENOENT" ? "is not installed" : `could not be started: ${errorMessage(error)}`;
    throw fail(`${why}. ${installHint?.trim().slice(0, SAID_MAX_CHARS) || "Install it on the agent's host."}`);
  });
  if (signal.aborted) throw jobEnded("The credential plugin of the kubeconfig was ended; nothing was sent.");
  if (end.aborted) throw fail(`did not end within ${PLUGIN_TIMEOUT_MS / 1_000} s, and was ended.`);
  if (end.exitCode !== 0) {
    const said = end.streams.stderr.read().text.trim().split("\n").at(-1)?.slice(0, SAID_MAX_CHARS) || "no message";
    throw fail(`ended with exit code ${end.exitCode}: ${said}. Run it by hand under the account of jobs.`);
  }
  try {
    const status = answerSchema.parse(JSON.parse(end.streams.stdout.read().text)).status;
    const pair = "clientKeyData" in status ? { cert: status.clientCertificateData, key: status.clientKeyData } : {};
    return { ...pair, ...("token" in status ? { token: status.token } : {}) };
  } catch {
    // Its output is never quoted, because it is a credential.
    throw fail("did not print an ExecCredential with a token, or a client certificate and its key.");
  }
}
