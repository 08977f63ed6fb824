import { listWorkflows as operation } from "../../../schema/contract/api/workflows.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { listWorkflows } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { lastExecutionsOf } from "./last-executions.ts";
import { toView } from "./view.ts";

export async function listWorkflowViews(deps: Deps, query: unknown): Promise<Page<WorkflowView>> {
  const { limit, beforeId, tag = null } = parsePage("workflow", operation, query);
  const rows = await listWorkflows(deps.db, { beforeId, limit: limit + 1, tag });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  const last = await lastExecutionsOf(
    deps,
    items.map(({ id }) => id),
  );
  return { items: items.map((row) => toView(row, last, deps.now())), nextCursor };
}
