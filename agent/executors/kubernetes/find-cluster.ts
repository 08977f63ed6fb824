import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { Secrets } from "../../../schema/contract/credential.ts";
import type { Programs } from "../../programs/program.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { ExecutorFailure } from "../shared/failures.ts";
import { bearer, type Cluster, clusterPlace } from "./cluster.ts";
import { kubeconfigFile, readCredentialFile } from "./credential-files.ts";
import type { KubernetesDeps } from "./deps.ts";
import { inCluster } from "./in-cluster.ts";
import { selectContext } from "./kubeconfig.ts";
import { clusterOfContext } from "./kubeconfig-cluster.ts";
import { loginOfUser } from "./kubeconfig-login.ts";

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
 * The cluster of a connection, by what there is, in this order: a kubeconfig from the vault; a token from the vault, for
 * the cluster that `kubeconfigPath` names or else the one that the agent runs in; the kubeconfig at `kubeconfigPath`;
 * the service account of the agent's own pod. Throws `credential_missing`, `invalid_credential`, `invalid_config`, and
 * what `confirmTarget` throws.
 */
export async function findCluster(
  { config, secrets, connectionId, signal, programs, confirmTarget }: Wanted,
  deps: KubernetesDeps,
): Promise<Cluster> {
  const kubeconfig = secrets?.["kubeconfig"];
  if (kubeconfig !== undefined) {
    const source = `The kubeconfig in this agent's vault for connection ${connectionId}`;
    const selected = selectContext(kubeconfig, config.context, source);
    const cluster = await clusterOfContext(selected, { source: "the delivered kubeconfig", file: null, programs });
    return {
      ...cluster,
      login: await loginOfUser(selected, { source: "the delivered kubeconfig", file: null, signal, programs }),
    };
  }
  const token = secrets?.["token"];
  if (config.kubeconfigPath !== undefined) {
    const file = kubeconfigFile(config.kubeconfigPath);
    const selected = selectContext(
      await readCredentialFile(file, "The kubeconfig", programs),
      config.context,
      `The kubeconfig ${file}`,
    );
    const cluster = await clusterOfContext(selected, { source: file, file, programs });
    // The file's own user is left aside: the token that was delivered for this connection is who asks.
    if (token !== undefined) {
      confirmTarget(clusterPlace(cluster));
      return { ...cluster, origin: `${cluster.origin}, with the delivered token`, login: bearer(token) };
    }
    return { ...cluster, login: await loginOfUser(selected, { source: file, file, signal, programs }) };
  }
  const own = await inCluster(deps, token);
  if (own !== null) {
    if (token !== undefined) confirmTarget(clusterPlace(own));
    return own;
  }
  const found =
    token === undefined
      ? `Connection ${connectionId} has no kubeconfigPath, and this agent's vault has no credential for it`
      : `Connection ${connectionId} has a token alone, which does not say where the cluster is`;
  const remedy =
    token === undefined
      ? "Deliver a kubeconfig, or a token together with kubeconfigPath, to this agent, or set kubeconfigPath."
      : "Set kubeconfigPath to a kubeconfig on the agent's host that names the cluster, or deliver a kubeconfig instead.";
  const message = `${found}; and the agent does not run inside a cluster. ${remedy}`;
  throw new ExecutorFailure(token === undefined ? "credential_missing" : "invalid_config", message);
}
