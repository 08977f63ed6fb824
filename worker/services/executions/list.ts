import { listExecutions as operation } from "../../../schema/contract/api/executions.ts";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { IDEMPOTENCY_KEY_KEEP_MS } from "../../../schema/limits.ts";
import { listExecutions } from "../../store/execution-reads.ts";
import type { ExecutionFilter, ExecutionRow } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { lowestIdAt } from "../ids.ts";
import { encodeCursor, parsePage, toPage } from "../page.ts";
import type { Page, PageRequest } from "../page.ts";
import { toSummary } from "./view.ts";
import { waitingOf } from "./waiting.ts";

/** An id is minted up to a day before its start, when an aborted request with an Idempotency-Key is repeated … */
const ID_EARLIER_MS = IDEMPOTENCY_KEY_KEEP_MS;
/** … and later in old executions of incidents: their ids were minted as of the match, after the event. */
const ID_LATER_MS = 60 * 60_000;

/** Running executions that are looked at together for those that wait, and for one page at most. */
const LOOKED_AT_ONCE = 200;
const LOOKED_AT_MAX = 1_000;

/**
 * Executions, newest first, by workflow, status, trigger and start; `from` and `to` are ISO 8601 and inclusive. Ids rise
 * with time, so a span of time is also a span of ids, and one index serves both the filters and the order.
 */
export async function listExecutionSummaries(deps: Deps, query: unknown): Promise<Page<ExecutionSummary>> {
  const { workflowId, status, trigger, from, to, ...page } = parsePage("execution", operation, query);
  const filter = {
    workflowId,
    status: status === "waiting" ? "running" : status,
    trigger,
    started: {
      from: from === undefined ? undefined : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to),
    },
    ids: {
      from: from === undefined ? undefined : lowestIdAt("execution", Date.parse(from) - ID_EARLIER_MS),
      before: to === undefined ? undefined : lowestIdAt("execution", Date.parse(to) + ID_LATER_MS),
    },
  } as const;
  if (status === "waiting") return waitingPage(deps, filter, page);
  const rows = await listExecutions(deps.db, filter, { ...page, limit: page.limit + 1 });
  const { items, nextCursor } = toPage(rows, page.limit, ({ id }) => id);
  const waiting = await waitingOf(deps, runningOf(items));
  return { items: items.map((row) => ({ ...toSummary(row), isWaiting: waiting.has(row.id) })), nextCursor };
}

/** Only dispatchers know which jobs wait, so the running executions are looked at in their order. */
async function waitingPage(
  deps: Deps,
  filter: ExecutionFilter,
  { limit, beforeId }: PageRequest,
): Promise<Page<ExecutionSummary>> {
  const items: ExecutionSummary[] = [];
  let before = beforeId;
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX; lookedAt += LOOKED_AT_ONCE) {
    const rows = await listExecutions(deps.db, filter, { beforeId: before, limit: LOOKED_AT_ONCE });
    const waiting = await waitingOf(deps, runningOf(rows));
    items.push(...rows.flatMap((row) => (waiting.has(row.id) ? [{ ...toSummary(row), isWaiting: true }] : [])));
    before = rows.at(-1)?.id ?? null;
    if (items.length > limit || rows.length < LOOKED_AT_ONCE) return toPage(items, limit, ({ id }) => id);
  }
  return { items, nextCursor: before === null ? null : encodeCursor(before) };
}

function runningOf(rows: readonly ExecutionRow[]): string[] {
  return rows.flatMap(({ id, status }) => (status === "running" ? [id] : []));
}
