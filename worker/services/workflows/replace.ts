import type { WorkflowView } from "../../../schema/contract/management.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { parseWorkflow } from "./check.ts";
import { toView } from "./view.ts";

/** Replaces the draft. What is published stays as it is until it is published again. */
export async function replaceWorkflow(deps: Deps, actor: string, id: string, input: unknown): Promise<WorkflowView> {
  if ((await findWorkflow(deps.db, id)) === null) throw notFound("workflow", id);
  const { name, description, trigger, definition } = await parseWorkflow(deps, input);
  const row = await changeWorkflow(deps, id, () => ({
    changes: { name, description: description ?? null, trigger, definition },
    audit: { actor, verb: "update", detail: { name, trigger: trigger.type } },
  }));
  return toView(row);
}
