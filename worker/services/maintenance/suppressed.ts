import { listSuppressed as operation } from "../../../schema/contract/api/maintenance.ts";
import type { SuppressedExecution } from "../../../schema/contract/maintenance.ts";
import { listSuppressed } from "../../store/suppressed-executions.ts";
import type { SuppressedRow } from "../../store/suppressed-executions.ts";
import type { Deps } from "../deps.ts";
import { toSummary } from "../executions/index.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { requireWindow } from "./get.ts";

/** What a window held, asked about or skipped, newest first. */
export async function listSuppressedViews(deps: Deps, id: string, query: unknown): Promise<Page<SuppressedExecution>> {
  const { limit, beforeId } = parsePage("execution", operation, query);
  await requireWindow(deps, id);
  const rows = await listSuppressed(deps.db, id, { beforeId, limit: limit + 1 });
  const { items, nextCursor } = toPage(rows, limit, ({ execution }) => execution.id);
  return { items: items.flatMap(toView), nextCursor };
}

function toView({ execution, ranAs }: SuppressedRow): SuppressedExecution[] {
  const { id, suppressed, hold, begunAt } = execution;
  if (suppressed === null) return [];
  const begun = hold === null && begunAt !== null ? id : null;
  return [{ ...toSummary(execution), suppressed: suppressed.as, ranAs: suppressed.as === "skipped" ? ranAs : begun }];
}
