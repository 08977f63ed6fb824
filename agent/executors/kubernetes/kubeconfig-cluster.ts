import type { Programs } from "../../programs/program.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { checkedAuthorities, decodedData } from "./certificates.ts";
import { type Cluster, NO_LOGIN } from "./cluster.ts";
import { besideKubeconfig, readCredentialFile } from "./credential-files.ts";
import type { SelectedContext } from "./kubeconfig.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/u;

export interface KubeconfigSource {
  /** What messages call it. */
  source: string;
  /** Where it lies on the agent's host; null for one from the vault. */
  file: string | null;
  programs: Programs;
}

/** The cluster of a context, without a login. Throws `invalid_credential`. */
export async function clusterOfContext(
  { context, cluster }: SelectedContext,
  from: KubeconfigSource,
): Promise<Cluster> {
  const { source } = from;
  const invalid = (problem: string): ExecutorFailure =>
    new ExecutorFailure("invalid_credential", `The cluster of context ${context} in ${source} ${problem}`);
  const server = serverUrl(cluster.server, invalid);
  const verify = cluster["insecure-skip-tls-verify"] !== true;
  const authorities = await authoritiesOf(cluster, from);
  if (!verify && authorities !== null) {
    throw invalid("has both insecure-skip-tls-verify and a certificate authority. Take out insecure-skip-tls-verify.");
  }
  const proxyUrl = cluster["proxy-url"] ?? "";
  if (proxyUrl !== "" && !/^https?:\/\/[^/]/u.test(proxyUrl)) {
    // Not repeated: it may hold a password.
    throw invalid("has a proxy-url that is not the address of an HTTP proxy, such as http://proxy.example.com:3128.");
  }
  return {
    origin: `context ${context} of ${source}`,
    server,
    authorities,
    verify,
    serverName: cluster["tls-server-name"] || null,
    proxyUrl: proxyUrl || null,
    login: NO_LOGIN,
  };
}

/** A kubeconfig from elsewhere must not make the agent read its own host's files: it must carry what it needs. */
export function fileOfKubeconfig({ source, file }: KubeconfigSource, field: string, path: string): string {
  if (file !== null) return besideKubeconfig(file, path);
  const message =
    `${field} in ${source} names a file, but a kubeconfig from the vault may not read files of the agent's host. Deliver what ` +
    "kubectl config view --raw --flatten --minify prints, or put the kubeconfig on that host and set kubeconfigPath.";
  throw new ExecutorFailure("invalid_credential", message);
}

async function authoritiesOf(cluster: SelectedContext["cluster"], from: KubeconfigSource): Promise<string | null> {
  const data = cluster["certificate-authority-data"] ?? "";
  const path = cluster["certificate-authority"] ?? "";
  if (data !== "") {
    return checkedAuthorities(decodedData(data, "certificate-authority-data", from.source), from.source);
  }
  if (path === "") return null;
  const file = fileOfKubeconfig(from, "certificate-authority", path);
  return checkedAuthorities(await readCredentialFile(file, "The certificate authority", from.programs), file);
}

function serverUrl(text: string, invalid: (problem: string) => ExecutorFailure): URL {
  const complete = /^https?:\/\//u.test(text) ? text : `https://${text}`;
  const url = URL.canParse(complete) ? new URL(complete) : null;
  if (url === null || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw invalid("has a server that is not an address such as https://api.example.com:6443.");
  }
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw invalid(
      `has the server ${url.host} over plain http, which would show the credential to the network. Use https.`,
    );
  }
  return url;
}
