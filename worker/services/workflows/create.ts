import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import type { Principal } from "../principal.ts";
import { parseSave } from "./check.ts";
import { insertDraft } from "./store-draft.ts";

/** Creates a workflow, neither published nor active. */
export async function createWorkflow(deps: Deps, by: Principal, input: unknown): Promise<WorkflowView> {
  const parsed = await parseSave(deps, input);
  return { ...(await insertDraft(deps, by, "create", parsed)), warnings: [...parsed.warnings] };
}
