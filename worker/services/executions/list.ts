import { listExecutionsQuerySchema } from "../../../schema/contract/management.ts";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { listExecutions } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { decodeCursor, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { parseInput } from "../parse.ts";
import { toSummary } from "./view.ts";

/** Executions, newest first, by workflow, status and start; `from` and `to` are ISO 8601 and inclusive. */
export async function listExecutionSummaries(deps: Deps, query: unknown): Promise<Page<ExecutionSummary>> {
  const { workflowId, status, from, to, limit, cursor } = parseInput(listExecutionsQuerySchema, query);
  const rows = await listExecutions(
    deps.db,
    {
      workflowId,
      status,
      startedFrom: from === undefined ? undefined : Date.parse(from),
      startedTo: to === undefined ? undefined : Date.parse(to),
    },
    { beforeId: decodeCursor("execution", cursor), limit: limit + 1 },
  );
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(toSummary), nextCursor };
}
