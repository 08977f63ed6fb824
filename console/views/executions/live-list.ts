import type { ExecutionStatus, ExecutionSummary } from "../../../schema/contract/execution.ts";

export interface ListFilter {
  workflowId: string | null;
  status: ExecutionStatus | null;
  /** ISO instants, both inclusive. */
  from: string | null;
  to: string | null;
}

/** What was told of executions since a list was read. */
export interface LiveList {
  /** As they are now. */
  known: ReadonlyMap<string, ExecutionSummary>;
  /** New ones that are shown, and those that are kept back while somebody reads. */
  shown: ReadonlySet<string>;
  held: ReadonlySet<string>;
  /** No longer what the filter asks for, without having been told as what they are now. */
  gone: ReadonlySet<string>;
}

export const NOTHING_REPORTED: LiveList = { known: new Map(), shown: new Set(), held: new Set(), gone: new Set() };

/** Takes in what was told. `listed` is what the list shows of itself, newest first; `whole` says that it has no more. */
export function takeIn(
  live: LiveList,
  told: readonly ExecutionSummary[],
  listed: readonly ExecutionSummary[],
  { filter, hold, whole }: { filter: ListFilter; hold: boolean; whole: boolean },
): LiveList {
  const known = new Map(live.known);
  const shown = new Set(live.shown);
  const held = new Set(live.held);
  const gone = new Set(live.gone);
  const ids = new Set(listed.map(({ id }) => id));
  const oldest = listed.at(-1)?.startedAt;
  for (const execution of told) {
    const { id } = execution;
    gone.delete(id);
    const before = known.get(id);
    if (before === undefined || before.revision <= execution.revision) known.set(id, execution);
    if (ids.has(id) || shown.has(id) || held.has(id) || !isListed(execution, filter)) continue;
    // What is older than the list goes belongs to a page that was not read.
    if (!whole && oldest !== undefined && execution.startedAt < oldest) continue;
    (hold ? held : shown).add(id);
  }
  return { known, shown, held, gone };
}

/**
 * Leaves out what the list has no more: of the rows that were shown before `read` was asked for, those from `downTo` on (an
 * id; all when null) that fit the filter as far as is known, and yet were not in it. They ended without having been told.
 */
export function leaveOut(
  live: LiveList,
  before: readonly ExecutionSummary[],
  read: readonly ExecutionSummary[],
  { filter, downTo }: { filter: ListFilter; downTo: string | null },
): LiveList {
  const ids = new Set(read.map(({ id }) => id));
  const missing = before.filter(
    (row) =>
      (downTo === null || row.id >= downTo) && !ids.has(row.id) && isListed(live.known.get(row.id) ?? row, filter),
  );
  return missing.length === 0 ? live : { ...live, gone: new Set([...live.gone, ...missing.map(({ id }) => id)]) };
}

/** Shows what was kept back. */
export function release(live: LiveList): LiveList {
  return { ...live, shown: new Set([...live.shown, ...live.held]), held: new Set() };
}

/** The list with what was told of it, newest first. What changed stays in its place, though a filter speaks of its status. */
export function rowsOf(listed: readonly ExecutionSummary[], live: LiveList): ExecutionSummary[] {
  const rows = new Map<string, ExecutionSummary>();
  for (const execution of listed) {
    const told = live.known.get(execution.id);
    rows.set(execution.id, told !== undefined && told.revision > execution.revision ? told : execution);
  }
  for (const id of live.shown) {
    const told = live.known.get(id);
    if (told !== undefined && !rows.has(id)) rows.set(id, told);
  }
  return [...rows.values()].filter(({ id }) => !live.gone.has(id)).sort((a, b) => order(b).localeCompare(order(a)));
}

export function isListed(execution: ExecutionSummary, { workflowId, status, from, to }: ListFilter): boolean {
  return (
    (workflowId === null || execution.workflowId === workflowId) &&
    (status === null || execution.status === status) &&
    (from === null || Date.parse(execution.startedAt) >= Date.parse(from)) &&
    (to === null || Date.parse(execution.startedAt) <= Date.parse(to))
  );
}

/** The service lists by ids, which rise with time. */
function order({ id }: ExecutionSummary): string {
  return id;
}
