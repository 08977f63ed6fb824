import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";

export type ManualInputs = NonNullable<Extract<Trigger, { type: "manual" }>["inputs"]>;
export type InputType = ManualInputs[string]["type"];

/** Problems with the inputs that a manual trigger declares: a default must be of its input's type. */
export function inputProblems(trigger: Trigger): FieldError[] {
  if (trigger.type !== "manual") return [];
  return Object.entries(trigger.inputs ?? {}).flatMap(([name, input]) => {
    const message = defaultProblem(input);
    return message === null ? [] : [{ path: `trigger.inputs.${name}.default`, message }];
  });
}

function defaultProblem({ type, default: value, sensitive }: ManualInputs[string]): string | null {
  if (value === undefined) return null;
  if (sensitive === true) return "must be absent: everyone who may read the workflow can read a default";
  return isOfType(value, type) ? null : `must be ${TYPE_LABELS[type]}`;
}

export const TYPE_LABELS = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
} as const satisfies Record<InputType, string>;

export function isOfType(value: JsonValue, type: InputType): boolean {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
  }
}
