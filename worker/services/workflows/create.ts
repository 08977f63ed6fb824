import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import type { Principal } from "../principal.ts";
import { parseWorkflow } from "./check.ts";
import { insertDraft } from "./store-draft.ts";

/** Creates a workflow: a draft, neither published nor active. */
export async function createWorkflow(deps: Deps, by: Principal, input: unknown): Promise<WorkflowView> {
  const { workflow, warnings } = await parseWorkflow(deps, input);
  return { ...(await insertDraft(deps, by, "create", workflow)), warnings: [...warnings] };
}
