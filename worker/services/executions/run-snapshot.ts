import type { RunSnapshot } from "../../../schema/contract/approval.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { idsNamedIn } from "../../domain/graph/named-ids.ts";
import { findAncestorVersions } from "../../store/execution-reads.ts";
import type { ExecutionRow } from "../../store/execution-reads.ts";
import { findPublishedVersions } from "../../store/workflow-versions.ts";
import { findConnectionsById } from "../../store/workflow-references.ts";
import { approvedTarget } from "../credentials/index.ts";
import type { Deps } from "../deps.ts";
import { definitionOf } from "./version-of.ts";

/** Everything that an execution would run now, and the versions that it and its ancestors run. */
export interface Runnable {
  snapshot: RunSnapshot;
  /** Of the execution and of its ancestors, which continue after it. */
  versionIds: readonly string[];
}

/** The published versions of all workflows that can start, also indirectly, and all connections that they name. */
export async function runnableNow(deps: Deps, row: Pick<ExecutionRow, "id" | "versionId">): Promise<Runnable> {
  const versionIds = [row.versionId, ...(await findAncestorVersions(deps.db, row.id))];
  const versions = new Map<string, string>();
  const connectionIds = new Set<string>();
  for (let level: readonly Definition[] = await definitionsOf(deps, versionIds); level.length > 0;) {
    for (const one of level) for (const id of idsNamedIn(one).connections) connectionIds.add(id);
    const ids = new Set(level.flatMap((one) => idsNamedIn(one).workflows).filter((id) => !versions.has(id)));
    const published = ids.size === 0 ? [] : await findPublishedVersions(deps.db, [...ids]);
    for (const { workflowId, versionId } of published) versions.set(workflowId, versionId);
    const next = published.map(({ versionId }) => versionId);
    level = await definitionsOf(deps, next);
  }
  const connections = connectionIds.size === 0 ? [] : await findConnectionsById(deps.db, [...connectionIds]);
  const targets = connections.map((connection) => [connection.id, approvedTarget(connection)]);
  return { snapshot: { versions: Object.fromEntries(versions), targets: Object.fromEntries(targets) }, versionIds };
}

function definitionsOf(deps: Deps, versionIds: readonly string[]): Promise<Definition[]> {
  return Promise.all(versionIds.map((id) => definitionOf(deps, id)));
}
