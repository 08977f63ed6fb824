import type { ExecutionStatus, ExecutionSummary } from "../../../schema/contract/execution.ts";

/** How many changed executions are kept: more than the page shows, but bounded. */
const KEPT = 500;

export type Known = ReadonlyMap<string, ExecutionSummary>;

/** The executions known so far, updated with `changes`. The highest revision of an execution wins. */
export function remember(known: Known, changes: readonly ExecutionSummary[]): Known {
  const next = new Map(known);
  for (const execution of changes) {
    if ((next.get(execution.id)?.revision ?? -1) > execution.revision) continue;
    next.delete(execution.id);
    next.set(execution.id, execution);
  }
  return new Map([...next].slice(-KEPT));
}

/**
 * The executions with a status, newest first, from a read and the feed. The higher revision wins, so a slow read cannot
 * bring back an execution that has ended meanwhile.
 */
export function newest(
  read: readonly ExecutionSummary[],
  known: Known,
  status: ExecutionStatus,
  finishedFrom = "",
): ExecutionSummary[] {
  return [...remember(new Map(read.map((execution) => [execution.id, execution])), [...known.values()]).values()]
    .filter((execution) => execution.status === status && (execution.finishedAt ?? execution.startedAt) >= finishedFrom)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
}
