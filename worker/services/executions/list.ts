import { listExecutions as operation } from "../../../schema/contract/api/executions.ts";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { IDEMPOTENCY_KEY_KEEP_MS } from "../../../schema/limits.ts";
import { listExecutions } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { lowestIdAt } from "../ids.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { toSummary } from "./view.ts";

/** An id is minted up to a day before its start, when an aborted request with an Idempotency-Key is repeated … */
const ID_EARLIER_MS = IDEMPOTENCY_KEY_KEEP_MS;
/** … and later in old executions of incidents: their ids were minted as of the match, after the event. */
const ID_LATER_MS = 60 * 60_000;

/**
 * Executions, newest first, by workflow, status, trigger and start; `from` and `to` are ISO 8601 and inclusive. Ids rise
 * with time, so a span of time is also a span of ids, and one index serves both the filters and the order.
 */
export async function listExecutionSummaries(deps: Deps, query: unknown): Promise<Page<ExecutionSummary>> {
  const { workflowId, status, trigger, from, to, limit, beforeId } = parsePage("execution", operation, query);
  const rows = await listExecutions(
    deps.db,
    {
      workflowId,
      status,
      trigger,
      started: {
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
      },
      ids: {
        from: from === undefined ? undefined : lowestIdAt("execution", Date.parse(from) - ID_EARLIER_MS),
        before: to === undefined ? undefined : lowestIdAt("execution", Date.parse(to) + ID_LATER_MS),
      },
    },
    { beforeId, limit: limit + 1 },
  );
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(toSummary), nextCursor };
}
