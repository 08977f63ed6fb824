import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Deps } from "../deps.ts";
import { checkWorkflow } from "./check.ts";

/** What is wrong with a workflow that is not saved yet; the name may still be missing. */
export async function validateWorkflow(deps: Deps, input: unknown): Promise<{ valid: boolean; errors: FieldError[] }> {
  const checked = await checkWorkflow(deps, input);
  const errors = checked.ok ? [] : checked.errors;
  return { valid: errors.length === 0, errors };
}
