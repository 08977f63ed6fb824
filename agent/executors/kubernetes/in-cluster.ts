import { join } from "node:path";
import { readSmallFile } from "../../programs/read-small-file.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { checkedAuthorities } from "./certificates.ts";
import { bearer, type Cluster } from "./cluster.ts";
import { readCredentialFile } from "./credential-files.ts";
import type { KubernetesDeps } from "./deps.ts";

/** The pod's service account is the agent's own, wherever its files lie: nothing of a job names them. */
const AGENTS_OWN = { readFile: readSmallFile };

/**
 * The cluster whose pod this agent is (Kubernetes, "Accessing the API from within a Pod"), with the pod's service
 * account or the given token; null outside. The files are read for every job: their token is replaced every hour.
 */
export async function inCluster(deps: KubernetesDeps, token: string | undefined): Promise<Cluster | null> {
  const host = deps.environment["KUBERNETES_SERVICE_HOST"] ?? "";
  if (host === "") return null;
  const port = deps.environment["KUBERNETES_SERVICE_PORT"] ?? "443";
  const address = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(address)) {
    const message = `KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT in the agent's environment are not an address: ${address}.`;
    throw new ExecutorFailure("invalid_config", message);
  }
  const file = (name: string): string => join(deps.serviceAccountDirectory, name);
  const authorities = await readCredentialFile(file("ca.crt"), "The cluster's certificate authority", AGENTS_OWN);
  return {
    origin: "the cluster that this agent runs in",
    server: new URL(address),
    authorities: checkedAuthorities(authorities, file("ca.crt")),
    verify: true,
    serverName: null,
    proxyUrl: null,
    login: bearer(token ?? (await readCredentialFile(file("token"), "The service account's token", AGENTS_OWN))),
  };
}
