import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { Secrets } from "../../../schema/contract/credential.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Programs } from "../../programs/program.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { type Cluster, clusterPlace } from "./cluster.ts";
import { kubeconfigFile, readCredentialFile } from "./credential-files.ts";
import type { KubernetesDeps } from "./deps.ts";
import { inCluster } from "./in-cluster.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";

interface Wanted {
  config: ConnectionConfig<"kubernetes">;
  secrets: Secrets | null;
  connectionId: string;
  signal: AbortSignal;
  programs: Programs;
  /** Called before a delivered token is used for a cluster that this agent's host names. */
  confirmTarget(resolved: JsonObject): void;
}

/**
 * The cluster of a connection, from the first of these that exists: a kubeconfig from the vault; a token from the vault, for
 * the cluster that `kubeconfigPath` names or else the one that the agent runs in; the kubeconfig at `kubeconfigPath`;
 * the service account of the agent's own pod. Throws `credential_missing`, `invalid_credential`, `invalid_config`, and
 * the errors of `confirmTarget`.
 */
export async function findCluster(
  { config, secrets, connectionId, signal, programs, confirmTarget }: Wanted,
  deps: KubernetesDeps,
): Promise<Cluster> {
  const { context, kubeconfigPath } = config;
  const [kubeconfig, token] = [secrets?.["kubeconfig"], secrets?.["token"]];
  if (kubeconfig !== undefined) {
    return await loadKubeconfig(kubeconfig, {
      source: "the delivered kubeconfig",
      file: null,
      context,
      programs,
      signal,
    });
  }
  const found = await onHost();
  if (found === null) throw withoutCluster(connectionId, token !== undefined);
  if (token === undefined) return found;
  confirmTarget(clusterPlace(found));
  return kubeconfigPath === undefined ? found : { ...found, origin: `${found.origin}, with the delivered token` };

  async function onHost(): Promise<Cluster | null> {
    if (kubeconfigPath === undefined) return await inCluster(deps, token);
    const file = kubeconfigFile(kubeconfigPath);
    const text = await readCredentialFile(file, "The kubeconfig", programs);
    return await loadKubeconfig(text, { source: file, file, context, token, programs, signal });
  }
}

function withoutCluster(connectionId: string, hasToken: boolean): ExecutorFailure {
  const [found, remedy] = hasToken
    ? [
        `Connection ${connectionId} has a token alone, which does not say where the cluster is`,
        "Set kubeconfigPath to a kubeconfig on the agent's host that names the cluster, or deliver a kubeconfig instead.",
      ]
    : [
        `Connection ${connectionId} has no kubeconfigPath, and this agent's vault has no credential for it`,
        "Deliver a kubeconfig, or a token together with kubeconfigPath, to this agent, or set kubeconfigPath.",
      ];
  const message = `${found}; and the agent does not run inside a cluster. ${remedy}`;
  return new ExecutorFailure(hasToken ? "invalid_config" : "credential_missing", message);
}
