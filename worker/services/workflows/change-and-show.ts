import type { WorkflowView } from "../../../schema/contract/management.ts";
import { lastExecutionsOf } from "./last-executions.ts";
import type { Deps } from "../deps.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { toView } from "./view.ts";

/** Changes a workflow like `changeWorkflow`, and shows the result. */
export async function changeAndShow(deps: Deps, ...[id, decide, expected]: Change): Promise<WorkflowView> {
  // Before the change: a failed read after it would be reported as if nothing had been changed.
  const last = await lastExecutionsOf(deps, [id]);
  return toView(await changeWorkflow(deps, id, decide, expected), last, deps.now());
}

type Change = Parameters<typeof changeWorkflow> extends [Deps, ...infer Rest] ? Rest : never;
