import { KubeConfig } from "@kubernetes/client-node";
import type { Programs } from "../../programs/program.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { AS_ITSELF, checkedToken, type Cluster, clusterOf, type Impersonation } from "./cluster.ts";
import { besideKubeconfig, readCredentialFile } from "./credential-files.ts";
import { runCredentialPlugin } from "./credential-plugin.ts";
import { type KubeconfigCluster, type KubeconfigUser, selectContext } from "./kubeconfig.ts";

export interface KubeconfigSource {
  /** For messages. */
  source: string;
  /** Its place on the agent's host; null for one from the vault. */
  file: string | null;
  context: string | undefined;
  /** Replaces the context's user. */
  token?: string | undefined;
  programs: Programs;
  signal: AbortSignal;
}

/**
 * Loads one context of a kubeconfig by the library. The library reads files and runs programs as the agent, so it gets
 * neither: a kubeconfig from the vault that names some is refused, and those of one on the agent's host are read and run as
 * a job, and put in as data. Throws `invalid_credential`.
 */
export async function loadKubeconfig(text: string, from: KubeconfigSource): Promise<Cluster> {
  const selected = selectContext(text, from.context, `The kubeconfig ${from.file ?? "in this agent's vault"}`);
  const { context, cluster } = selected;
  const user: KubeconfigUser = from.token === undefined ? (selected.user ?? {}) : { token: checkedToken(from.token) };
  const refuse = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `The user of context ${context} in ${from.source} ${problem}`);
  const impersonation = checkedImpersonation(user, refuse);
  const flat = {
    "current-context": context,
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    clusters: [{ name: context, cluster: await clusterWithoutFiles(cluster, from) }],
    users: [{ name: context, user: await userWithoutFiles(user, cluster, from, refuse) }],
  };
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromString(JSON.stringify(flat));
  } catch {
    // The library's own error quotes the text.
    throw refuse(
      "or its cluster is empty or has characters that no kubeconfig can have. Deliver the kubeconfig again.",
    );
  }
  return clusterOf(kubeConfig, `context ${context} of ${from.source}`, impersonation);
}

async function clusterWithoutFiles(cluster: KubeconfigCluster, from: KubeconfigSource): Promise<KubeconfigCluster> {
  const { "certificate-authority": path, ...rest } = cluster;
  // The library takes one slash off the end; a delivered token is bound to the address as it is written.
  const server = cluster.server.replace(/\/$/u, "//");
  const field = "certificate-authority";
  return { ...rest, server, "certificate-authority-data": await dataOf(field, cluster[`${field}-data`], path, from) };
}

async function userWithoutFiles(
  user: KubeconfigUser,
  cluster: KubeconfigCluster,
  from: KubeconfigSource,
  refuse: (problem: string) => ExecutorFailure,
): Promise<KubeconfigUser> {
  const { username, password, as, exec } = user;
  const tokenFile = await fileOf("tokenFile", user.tokenFile, from);
  const own = {
    token: tokenFile === null ? user.token : checkedToken(tokenFile),
    username,
    password,
    as,
    "client-certificate-data": await dataOf(
      "client-certificate",
      user["client-certificate-data"],
      user["client-certificate"],
      from,
    ),
    "client-key-data": await dataOf("client-key", user["client-key-data"], user["client-key"], from),
  };
  if (!exec || own.token || username || password) return own;
  if (from.file === null) {
    throw refuse(
      `runs the program ${exec.command} to log in, but a kubeconfig from the vault may not run programs on the agent's host. ` +
        "Put the kubeconfig on that host and set kubeconfigPath, or deliver the token of a service account.",
    );
  }
  return { ...own, ...(await runCredentialPlugin(exec, { ...from, kubeconfig: from.file, cluster })) };
}

/** The content of a `…-data` field, or of the file beside it, in base64. */
async function dataOf(
  field: string,
  data: string | null | undefined,
  path: string | null | undefined,
  from: KubeconfigSource,
): Promise<string | undefined> {
  if (data) return data;
  const content = await fileOf(field, path, from);
  return content === null ? undefined : Buffer.from(content).toString("base64");
}

/** The sender of a kubeconfig must not choose files of the agent's host. */
async function fileOf(
  field: string,
  path: string | null | undefined,
  { source, file, programs }: KubeconfigSource,
): Promise<string | null> {
  if (!path) return null;
  if (file !== null) return await readCredentialFile(besideKubeconfig(file, path), `The ${field}`, programs);
  const message =
    `${field} in ${source} names a file, but a kubeconfig from the vault may not read files of the agent's host. Deliver what ` +
    "kubectl config view --raw --flatten --minify prints, or put the kubeconfig on that host and set kubeconfigPath.";
  throw new ExecutorFailure("invalid_credential", message);
}

/** Dropped in silence, these would let the agent act with more rights than the kubeconfig gives it. */
function checkedImpersonation(user: KubeconfigUser, refuse: (problem: string) => ExecutorFailure): Impersonation {
  if (user["auth-provider"] !== undefined && user["auth-provider"] !== null) {
    throw refuse(
      "has an auth-provider, which Kubernetes removed in version 1.26. Use a token, a client certificate or exec.",
    );
  }
  if (user["as-user-extra"] !== undefined && user["as-user-extra"] !== null) {
    throw refuse("has as-user-extra, which this agent does not send. Take it out, or use an account of its own.");
  }
  const [name, uid, groups] = [user.as ?? "", user["as-uid"] ?? "", user["as-groups"] ?? []];
  if (name === "" && (uid !== "" || groups.length > 0)) throw refuse("has as-uid or as-groups, but not as.");
  // oxlint-disable-next-line no-control-regex
  if ([name, uid, ...groups].some((value) => /[^\u0020-\u007e]/u.test(value))) {
    throw refuse("has an as, as-uid or as-groups with characters that no header can carry.");
  }
  if (name === "") return AS_ITSELF;
  return { headers: { "impersonate-user": name, ...(uid === "" ? {} : { "impersonate-uid": uid }) }, groups };
}
