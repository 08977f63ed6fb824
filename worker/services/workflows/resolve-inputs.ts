import type { JsonObject } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { invalidInput } from "../parse.ts";
import { TYPE_LABELS, isOfType } from "./check-inputs.ts";
import type { ManualInputs } from "./check-inputs.ts";

/**
 * The variables with defaults filled in. Throws `invalid_request` with every input that is missing, wrong or unknown;
 * `at` is the path of the variables in the request.
 */
export function resolveInputs(inputs: ManualInputs, variables: JsonObject, at = "variables"): JsonObject {
  const errors: FieldError[] = [];
  const resolved: JsonObject = {};
  for (const [name, input] of Object.entries(inputs)) {
    const value = Object.hasOwn(variables, name) ? variables[name] : input.default;
    const path = `${at}.${name}`;
    if (value === undefined) {
      if (input.required === true) errors.push({ path, message: "is required" });
    } else if (isOfType(value, input.type)) resolved[name] = value;
    else errors.push({ path, message: `must be ${TYPE_LABELS[input.type]}` });
  }
  const known = Object.keys(inputs).join(", ");
  for (const name of Object.keys(variables)) {
    if (Object.hasOwn(inputs, name)) continue;
    errors.push({
      path: `${at}.${name}`,
      message: `is not an input of this workflow; its inputs are: ${known || "none"}`,
    });
  }
  if (errors.length > 0) throw invalidInput(errors);
  return resolved;
}
