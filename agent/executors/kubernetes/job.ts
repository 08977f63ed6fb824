import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ExecutorContext } from "../executor.ts";
import { parsed } from "../shared/failures.ts";
import { type ClusterClient, createClient } from "./client.ts";
import type { KubernetesDeps } from "./deps.ts";
import { findCluster } from "./find-cluster.ts";

/** What every action needs of its job. */
export interface KubernetesJob {
  client: ClusterClient;
  /** The connection's, for actions that name none. */
  namespace: string;
  signal: AbortSignal;
  secrets: readonly string[];
}

/** Finds the job's cluster; nothing is sent yet. Throws what `findCluster` throws. */
export async function beginKubernetesJob(context: ExecutorContext, deps: KubernetesDeps): Promise<KubernetesJob> {
  const { connection, signal, timeoutMs, programs, confirmTarget } = context;
  const config = parsed(CONNECTION_CONFIGS.kubernetes, connection.config, "invalid_config");
  const secrets = formsOfSecrets(context.secrets ?? {});
  const wanted = { config, secrets: context.secrets, connectionId: connection.id, signal, programs, confirmTarget };
  const client = await createClient(deps, { findCluster: () => findCluster(wanted, deps), signal, timeoutMs, secrets });
  return { client, namespace: config.namespace, signal, secrets };
}
