import type { ExecutionSummary, ExecutionTriggerType } from "../../../schema/contract/execution.ts";
import type { ListedStatus } from "../../../schema/contract/list-executions.ts";

export interface ListFilter {
  workflowId: string | null;
  status: ListedStatus | null;
  trigger: ExecutionTriggerType | null;
  /** ISO instants, both inclusive. */
  from: string | null;
  to: string | null;
}

/** The changes of executions that were reported since a list was read. */
export interface LiveList {
  /** The newest state of each reported execution. */
  known: ReadonlyMap<string, ExecutionSummary>;
  /** New executions that are shown, and those that are held back while a person reads. */
  shown: ReadonlySet<string>;
  held: ReadonlySet<string>;
  /** Executions that no longer match the filter, though their change was not reported. */
  gone: ReadonlySet<string>;
}

export const NOTHING_REPORTED: LiveList = { known: new Map(), shown: new Set(), held: new Set(), gone: new Set() };

/**
 * Adds reported executions. `listed`: the rows that were read, newest first; `whole`: there are no further pages. Without
 * `adds`, only rows that are shown change.
 */
export function takeIn(
  live: LiveList,
  reported: readonly ExecutionSummary[],
  listed: readonly ExecutionSummary[],
  { filter, hold, whole, adds = true }: { filter: ListFilter; hold: boolean; whole: boolean; adds?: boolean },
): LiveList {
  const known = new Map(live.known);
  const shown = new Set(live.shown);
  const held = new Set(live.held);
  const gone = new Set(live.gone);
  const oldest = listed.at(-1)?.startedAt;
  const rows = new Map(listed.map((execution) => [execution.id, execution]));
  for (const execution of reported) {
    const { id } = execution;
    gone.delete(id);
    const before = known.get(id);
    if (before === undefined || before.revision <= execution.revision) {
      // The feed does not say whether a step waits: the row keeps its word until the next read.
      known.set(id, { ...execution, isWaiting: execution.isWaiting ?? (before ?? rows.get(id))?.isWaiting });
    }
    if (!adds || rows.has(id) || shown.has(id) || held.has(id) || !isListed(execution, filter)) continue;
    // An execution older than the last row belongs to a page that was not read.
    if (!whole && oldest !== undefined && execution.startedAt < oldest) continue;
    (hold ? held : shown).add(id);
  }
  return { known, shown, held, gone };
}

/**
 * Removes rows that are no longer in the list: rows shown before `read` was requested, from the id `downTo` on (all
 * when null), that seem to match the filter but are missing in `read`. They changed without a report.
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

/** Shows the executions that were held back. */
export function release(live: LiveList): LiveList {
  return { ...live, shown: new Set([...live.shown, ...live.held]), held: new Set() };
}

/** The list with its reported changes, newest first. A changed row stays, even when its status leaves the filter. */
export function rowsOf(listed: readonly ExecutionSummary[], live: LiveList): ExecutionSummary[] {
  const rows = new Map<string, ExecutionSummary>();
  for (const execution of listed) {
    const reported = live.known.get(execution.id);
    rows.set(execution.id, reported !== undefined && reported.revision >= execution.revision ? reported : execution);
  }
  for (const id of live.shown) {
    const reported = live.known.get(id);
    if (reported !== undefined && !rows.has(id)) rows.set(id, reported);
  }
  return [...rows.values()].filter(({ id }) => !live.gone.has(id)).sort((a, b) => order(b).localeCompare(order(a)));
}

/** Whether an execution matches a filter, as far as its summary says: it does not say whether a step waits. */
export function isListed(execution: ExecutionSummary, { workflowId, status, trigger, from, to }: ListFilter): boolean {
  return (
    (workflowId === null || execution.workflowId === workflowId) &&
    (status === null || execution.status === (status === "waiting" ? "running" : status)) &&
    (trigger === null || execution.trigger.type === trigger) &&
    (from === null || Date.parse(execution.startedAt) >= Date.parse(from)) &&
    (to === null || Date.parse(execution.startedAt) <= Date.parse(to))
  );
}

/** The service sorts by id, and ids rise with time. */
function order({ id }: ExecutionSummary): string {
  return id;
}
