import type { Approved } from "../../../schema/contract/approval.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { findPublishedVersions } from "../../store/workflow-versions.ts";
import { findConnectionsById } from "../../store/workflow-references.ts";
import { approvedTarget } from "../credentials/wanted-credential.ts";
import type { Deps } from "../deps.ts";
import { connectionIdsOf } from "../run/connection-routes.ts";
import { definitionOf } from "../run/definitions.ts";
import { workflowIdsOf } from "../run/step-deps.ts";

/**
 * What an approval is given to: the published versions of all workflows that a definition can start, also by way of
 * others, and where the connections go that they and it name.
 */
export async function approvedNow(deps: Deps, definition: Definition): Promise<Approved> {
  const versions = new Map<string, string>();
  const connectionIds = new Set<string>();
  for (let level: readonly Definition[] = [definition]; level.length > 0;) {
    for (const one of level) for (const id of connectionIdsOf(one)) connectionIds.add(id);
    const ids = new Set(level.flatMap(workflowIdsOf).filter((id) => !versions.has(id)));
    const published = ids.size === 0 ? [] : await findPublishedVersions(deps.db, [...ids]);
    for (const { workflowId, versionId } of published) versions.set(workflowId, versionId);
    level = await Promise.all(published.map(({ versionId }) => definitionOf(deps, versionId)));
  }
  const connections = connectionIds.size === 0 ? [] : await findConnectionsById(deps.db, [...connectionIds]);
  return {
    versions: Object.fromEntries(versions),
    targets: Object.fromEntries(connections.map((connection) => [connection.id, approvedTarget(connection)])),
  };
}
