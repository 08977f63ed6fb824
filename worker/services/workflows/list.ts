import { listWorkflows as operation } from "../../../schema/contract/api/workflows.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { findFailureWorkflows } from "../../store/started-by-events.ts";
import { findWorkflow, listWorkflows } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { invalidInput } from "../parse.ts";
import { lastExecutionsOf } from "./last-executions.ts";
import { toView } from "./view.ts";

export async function listWorkflowViews(deps: Deps, query: unknown): Promise<Page<WorkflowView>> {
  const { limit, beforeId, tag = null, afterFailureOf } = parsePage("workflow", operation, query);
  const ids = afterFailureOf === undefined ? null : await startedByFailuresOf(deps, afterFailureOf);
  const rows = await listWorkflows(deps.db, { beforeId, limit: limit + 1, tag, ids });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  const last = await lastExecutionsOf(
    deps,
    items.map(({ id }) => id),
  );
  return { items: items.map((row) => toView(row, last, deps.now())), nextCursor };
}

/** The ids of the failure workflows that a workflow's failed runs start. Throws `invalid_request`. */
async function startedByFailuresOf({ db }: Deps, id: string): Promise<string[]> {
  const workflow = await findWorkflow(db, id);
  if (workflow === null) throw invalidInput([{ path: "afterFailureOf", message: "there is no workflow of this id" }]);
  if (workflow.publishedTriggerType === "failure") return [];
  return (await findFailureWorkflows(db, workflow)).map(({ workflowId }) => workflowId);
}
