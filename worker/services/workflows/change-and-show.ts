import type { WorkflowView } from "../../../schema/contract/management.ts";
import { findLastExecutions } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { toView } from "./view.ts";

/** Changes a workflow as `changeWorkflow` does, and shows it as it stands then. */
export async function changeAndShow(deps: Deps, ...[id, decide, expected]: Change): Promise<WorkflowView> {
  // Before the change: a read that fails behind it would be told as if nothing had been changed.
  const last = await findLastExecutions(deps.db, [id]);
  return toView(await changeWorkflow(deps, id, decide, expected), last);
}

type Change = Parameters<typeof changeWorkflow> extends [Deps, ...infer Rest] ? Rest : never;
