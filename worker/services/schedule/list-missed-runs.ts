import type { MissedRunsView } from "../../../schema/contract/cron.ts";
import { listMissedRuns as operation } from "../../../schema/contract/api/schedules.ts";
import { listMissedRuns } from "../../store/schedule.ts";
import type { MissedRunRow } from "../../store/schedule.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";

/** The spans in which a workflow's schedule was due and did not start, the newest first. */
export async function listWorkflowMissedRuns(deps: Deps, id: string, query: unknown): Promise<Page<MissedRunsView>> {
  const { limit, beforeId: beforeTime } = parsePage("time", operation, query);
  if ((await findWorkflow(deps.db, id)) === null) throw notFound("workflow", id);
  const before = beforeTime === null ? null : Number(beforeTime);
  const rows = await listMissedRuns(deps.db, id, { before, limit: limit + 1 });
  const { items, nextCursor } = toPage(rows, limit, (row) => String(row.firstDueAt));
  return { items: items.map(toView), nextCursor };
}

function toView({ reason, firstDueAt, lastDueAt, count, recordedAt }: MissedRunRow): MissedRunsView {
  return {
    reason,
    firstDueAt: new Date(firstDueAt).toISOString(),
    lastDueAt: new Date(lastDueAt).toISOString(),
    count,
    recordedAt: new Date(recordedAt).toISOString(),
  };
}
