import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { TargetPlace } from "../executor.ts";
import { parsed } from "../shared/failures.ts";
import { clusterPlace } from "./cluster.ts";
import type { KubernetesDeps } from "./deps.ts";
import { findCluster } from "./find-cluster.ts";

/**
 * Where a delivered token goes: the cluster that a kubeconfig on the agent's host, or its own pod, names. A delivered
 * kubeconfig carries its server itself. Throws what `findCluster` throws.
 */
export async function resolveTarget(
  { connectionId, entry, secrets, programs }: TargetPlace,
  deps: KubernetesDeps,
): Promise<JsonObject> {
  if (secrets["token"] === undefined) return {};
  const { type: _type, ...fields } = entry;
  const config = parsed(CONNECTION_CONFIGS.kubernetes, fields, "invalid_config");
  const { signal } = new AbortController();
  return clusterPlace(
    await findCluster({ config, secrets, connectionId, signal, programs, confirmTarget: () => {} }, deps),
  );
}
