import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Deps } from "../deps.ts";
import { checkWorkflow } from "./check.ts";

/** Whether a workflow could be saved as it is, and everything that stands against it. */
export async function validateWorkflow(deps: Deps, input: unknown): Promise<{ valid: boolean; errors: FieldError[] }> {
  const checked = await checkWorkflow(deps, input);
  const errors = checked.ok ? [] : checked.errors;
  return { valid: errors.length === 0, errors };
}
