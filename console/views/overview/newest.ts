import type { ExecutionStatus, ExecutionSummary } from "../../../schema/contract/execution.ts";

/** How many changed executions are kept in mind: more than are shown, and a bound. */
const KEPT = 500;

export type Told = ReadonlyMap<string, ExecutionSummary>;

/** What the feed has told so far, with what it tells now; the newest word about each. */
export function remember(told: Told, changes: readonly ExecutionSummary[]): Told {
  const next = new Map(told);
  for (const execution of changes) {
    if ((next.get(execution.id)?.revision ?? -1) > execution.revision) continue;
    next.delete(execution.id);
    next.set(execution.id, execution);
  }
  return new Map([...next].slice(-KEPT));
}

/**
 * The executions of a status, newest first, from what was read and what was told since: whichever is the later word, so
 * that a read that was under way brings nothing back that has ended meanwhile.
 */
export function newest(
  read: readonly ExecutionSummary[],
  told: Told,
  status: ExecutionStatus,
  finishedFrom = "",
): ExecutionSummary[] {
  return [...remember(new Map(read.map((execution) => [execution.id, execution])), [...told.values()]).values()]
    .filter((execution) => execution.status === status && (execution.finishedAt ?? execution.startedAt) >= finishedFrom)
    .sort((a, b) => (a.id < b.id ? 1 : -1));
}
