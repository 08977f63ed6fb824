import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";

export type ManualInputs = NonNullable<Extract<Trigger, { type: "manual" }>["inputs"]>;
export type ManualInput = ManualInputs[string];

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
    const text = typed[name] ?? "";
    if (text.trim() === "" && (input.type !== "string" || text === "")) {
      if (input.type === "string" && input.default !== undefined && input.default !== "") variables[name] = "";
      else if (input.required === true && input.default === undefined) problems[name] = "This is required.";
      continue;
    }
    const value = valueOf(input, text);
    if (value === undefined) problems[name] = TYPE_PROBLEMS[input.type];
    else variables[name] = value;
  }
  return Object.keys(problems).length === 0 ? { ok: true, variables } : { ok: false, problems };
}

/** The variables that a person typed as a JSON object, or the problem of the text. */
export function readVariables(text: string): { ok: true; variables: JsonObject } | { ok: false; problem: string } {
  if (text.trim() === "") return { ok: true, variables: {} };
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value)
      ? { ok: true, variables: value }
      : { ok: false, problem: 'Enter a JSON object, such as {"service": "nginx"}.' };
  } catch (error) {
    return { ok: false, problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const TYPE_PROBLEMS = {
  string: "Enter a text.",
  number: "Enter a number, such as 5 or 0.5.",
  boolean: "Choose true or false.",
  object: 'Enter a JSON object, such as {"key": "value"}.',
  array: 'Enter a JSON list, such as ["a", "b"].',
} as const satisfies Record<ManualInput["type"], string>;

/** The value of a text, or undefined when the text is not of this type. */
function valueOf({ type }: ManualInput, text: string): JsonValue | undefined {
  if (type === "string") return text;
  const value = parsed(text.trim());
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

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf({ default: value }: ManualInput): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}
