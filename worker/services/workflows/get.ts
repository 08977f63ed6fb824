import type { WorkflowView } from "../../../schema/contract/management.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { lastExecutionsOf } from "./last-executions.ts";
import { toView } from "./view.ts";

export async function getWorkflow(deps: Deps, id: string): Promise<WorkflowView> {
  const [row, last] = await Promise.all([findWorkflow(deps.db, id), lastExecutionsOf(deps, [id])]);
  if (row === null) throw notFound("workflow", id);
  return toView(row, last, deps.now());
}
