// TEMPORARY by the lead, until worker/domain/graph.ts is there; the Management person OVERWRITES this file.
import { workflowInputSchema } from "../../../schema/contract/management.ts";
import type { WorkflowInput } from "../../../schema/contract/management.ts";
import type { Definition, Trigger } from "../../../schema/contract/workflow.ts";
import type { Deps } from "../deps.ts";
import { checkInput, parseInput } from "../parse.ts";

export async function parseWorkflow(_deps: Deps, input: unknown): Promise<WorkflowInput> {
  return parseInput(workflowInputSchema, input);
}
export async function checkDraft(_deps: Deps, _trigger: Trigger, _definition: Definition): Promise<void> {}
export async function checkWorkflow(_deps: Deps, input: unknown) {
  return checkInput(workflowInputSchema, input);
}
