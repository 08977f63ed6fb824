import { listWorkflowVersions as operation } from "../../../schema/contract/api/workflows.ts";
import type { WorkflowVersionView } from "../../../schema/contract/management.ts";
import { findWorkflow, listVersions } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { toVersionView } from "./view.ts";

/** The published versions of a workflow, the newest first. */
export async function listWorkflowVersions(deps: Deps, id: string, query: unknown): Promise<Page<WorkflowVersionView>> {
  const { limit, beforeId } = parsePage("workflowVersion", operation, query);
  if ((await findWorkflow(deps.db, id)) === null) throw notFound("workflow", id);
  const rows = await listVersions(deps.db, id, { beforeId, limit: limit + 1 });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(toVersionView), nextCursor };
}
