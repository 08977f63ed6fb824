import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import { common } from "../../strings/en/common.ts";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";

export type ManualInputs = NonNullable<Extract<Trigger, { type: "manual" }>["inputs"]>;
export type ManualInput = ManualInputs[string];

const text = workflowTriggers.inputs;

/** The text of each field by the input's name; for a boolean `true`, `false` or empty. */
export type Typed = Readonly<Record<string, string>>;

export type Read = { ok: true; variables: JsonObject } | { ok: false; problems: Readonly<Record<string, string>> };

/** The initial fields, with the trigger's defaults. */
export function firstTyped(inputs: ManualInputs): Record<string, string> {
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, textOf(input)]));
}

/**
 * The variables of a form, or the problem of each field. An empty field is not sent, except for a text with a default:
 * a person who clears it wants the empty text and not the default.
 */
export function readInputs(inputs: ManualInputs, typed: Typed): Read {
  const variables: JsonObject = {};
  const problems: Record<string, string> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const value = typed[name] ?? "";
    if (value.trim() === "" && (input.type !== "string" || value === "")) {
      if (input.type === "string" && input.default !== undefined && input.default !== "") variables[name] = "";
      else if (input.required === true && input.default === undefined) problems[name] = common.required;
      continue;
    }
    const read = valueOf(input, value);
    if (read === undefined) problems[name] = text.wrongType[input.type];
    else variables[name] = read;
  }
  return Object.keys(problems).length === 0 ? { ok: true, variables } : { ok: false, problems };
}

/** The variables that a person typed as a JSON object, or the problem of the text. */
export function readVariables(typed: string): { ok: true; variables: JsonObject } | { ok: false; problem: string } {
  if (typed.trim() === "") return { ok: true, variables: {} };
  try {
    const value: JsonValue = JSON.parse(typed);
    return isJsonObject(value) ? { ok: true, variables: value } : { ok: false, problem: text.notObject };
  } catch (error) {
    return { ok: false, problem: text.notJson(error instanceof Error ? error.message : String(error)) };
  }
}

/** The value of a text, or undefined when the text is not of this type. */
function valueOf({ type }: ManualInput, typed: string): JsonValue | undefined {
  if (type === "string") return typed;
  const value = parsed(typed.trim());
  switch (type) {
    case "number":
    case "boolean":
      return typeof value === type ? value : undefined;
    case "array":
      return Array.isArray(value) ? value : undefined;
    case "object":
      return isJsonObject(value) ? value : undefined;
  }
}

function parsed(json: string): JsonValue | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function textOf({ default: value }: ManualInput): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}
