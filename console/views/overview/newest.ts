import type { ExecutionStatus, ExecutionSummary } from "../../../schema/contract/execution.ts";

/** How many changed executions are kept in mind: more than are shown, and a bound. */
const KEPT = 500;

export type Known = ReadonlyMap<string, ExecutionSummary>;

/** What the feed has known so far, with what it tells now; the newest word about each. */
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
 * The executions of a status, newest first, from what was read and what was known since: whichever is the later word, so
 * that a read that was under way brings nothing back that has ended meanwhile.
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
