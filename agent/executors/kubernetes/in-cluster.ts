import { join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { readSmallFile } from "../../programs/read-small-file.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { AS_ITSELF, checkedToken, type Cluster, clusterOf } from "./cluster.ts";
import { readCredentialFile } from "./credential-files.ts";
import type { KubernetesDeps } from "./deps.ts";

/** The pod's service account is the agent's own: nothing of a job names its files. */
const AGENTS_OWN = { readFile: readSmallFile };

/**
 * The cluster whose pod this agent is (Kubernetes, "Accessing the API from within a Pod"), with the pod's service
 * account or the given token; null outside. The files are read for every job: their token is replaced every hour.
 */
export async function inCluster(deps: KubernetesDeps, given: string | undefined): Promise<Cluster | null> {
  const host = deps.environment["KUBERNETES_SERVICE_HOST"] ?? "";
  if (host === "") return null;
  const port = deps.environment["KUBERNETES_SERVICE_PORT"] ?? "443";
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(server)) {
    const message = `KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT in the agent's environment are not an address: ${server}.`;
    throw new ExecutorFailure("invalid_config", message);
  }
  const file = (name: string, what: string): Promise<string> =>
    readCredentialFile(join(deps.serviceAccountDirectory, name), what, AGENTS_OWN);
  const caData = Buffer.from(await file("ca.crt", "The cluster's certificate authority")).toString("base64");
  const token = checkedToken(given ?? (await file("token", "The service account's token")));
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser({ name: "own", server, caData, skipTLSVerify: false }, { name: "own", token });
  return clusterOf(kubeConfig, "the cluster that this agent runs in", AS_ITSELF);
}
