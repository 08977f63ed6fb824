import { z } from "zod";
import { ACTIONS, codeLanguage } from "../../schema/contract/action.ts";
import type { ActionName, CodeLanguage } from "../../schema/contract/action.ts";
import { jsonObjectSchema, jsonValueSchema } from "../../schema/contract/json.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { objectOf } from "../../schema/contract/json-object.ts";
import { actionForms } from "../strings/en/action-forms.ts";
import { WRITTEN } from "./param-value.ts";

/** How a parameter is edited. Every kind takes templates as they are, except code and connections. */
export type ParamKind =
  | { readonly kind: "text"; readonly multiline: boolean }
  | { readonly kind: "code"; readonly language: CodeLanguage | "unknown" }
  | { readonly kind: "number"; readonly min: number | null; readonly max: number | null }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly options: readonly string[] }
  /** One text per row. */
  | { readonly kind: "texts" }
  /** One, or several separated by commas. */
  | { readonly kind: "textOrTexts" }
  | { readonly kind: "numberOrNumbers" }
  /** Names and values. `scalar`: numbers and true or false keep their type. */
  | { readonly kind: "record"; readonly values: "text" | "scalar" | "json" }
  | { readonly kind: "objects"; readonly fields: readonly ParamField[] }
  /** The id of a custom connection. */
  | { readonly kind: "secretsFrom" }
  | { readonly kind: "json"; readonly shape: "object" | "list" | "any" };

export type ParamField = {
  readonly name: string;
  readonly label: string;
  readonly description: string | null;
  readonly placeholder?: string;
  readonly required: boolean;
  /** The value of a missing parameter; undefined without a default. */
  readonly defaultValue: JsonValue | undefined;
} & ParamKind;

/** The text that an empty field shows: its default, or an example. */
export function hintOf({ defaultValue, placeholder }: ParamField): string {
  if (defaultValue !== undefined) return WRITTEN.json.write(defaultValue);
  return placeholder === undefined ? "" : actionForms.params.example(placeholder);
}

const MULTILINE_FROM_CHARS = 10_000;

/** The fields of an action's parameters, from its contract. `params` decide dependent fields: a script's language. */
export function fieldsOf(action: ActionName, params: JsonObject): ParamField[] {
  const contract = ACTIONS[action];
  const { properties, required } = partsOf(toJsonSchema(contract.params));
  return Object.entries(properties).map(([name, schema]) => {
    const language = Object.hasOwn(contract.code, name) ? codeLanguage(action, name, params) : null;
    const base = fieldBase(name, schema, required.has(name), defaultOf(contract.params, name));
    const placeholder = contract.fields[name]?.placeholder;
    const described = placeholder === undefined ? base : { ...base, placeholder };
    if (language !== null) return { ...described, kind: "code", language };
    if (name === contract.namedValues)
      return { ...described, kind: "record", values: name === "env" ? "text" : "json" };
    if (name === "secretsFrom") return { ...described, kind: "secretsFrom" };
    if (action === "http.request" && name === "body" && params["bodyType"] === "text") {
      return { ...described, kind: "text", multiline: true };
    }
    return { ...described, ...kindOf(schema) };
  });
}

function fieldBase(name: string, schema: JsonValue, required: boolean, defaultValue: JsonValue | undefined) {
  const { title, description } = objectOf(schema);
  return {
    name,
    label: typeof title === "string" ? title : labelOf(name),
    description: typeof description === "string" ? description : null,
    required: required && defaultValue === undefined,
    defaultValue,
  };
}

/** The label of a parameter's member: "Content type" for `contentType`. */
function labelOf(name: string): string {
  const label = name.replaceAll(
    /([a-z0-9])([A-Z])/gu,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function kindOf(schema: JsonValue): ParamKind {
  const { type, enum: options, anyOf, items, additionalProperties, maxLength, minimum, maximum } = objectOf(schema);
  if (Array.isArray(options)) return { kind: "choice", options: options.map(String) };
  if (Array.isArray(anyOf)) {
    const types = new Set(anyOf.map((member) => objectOf(member)["type"]));
    if (types.has("array")) return { kind: types.has("integer") ? "numberOrNumbers" : "textOrTexts" };
  }
  switch (type) {
    case "string":
      return { kind: "text", multiline: typeof maxLength === "number" && maxLength >= MULTILINE_FROM_CHARS };
    case "integer":
    case "number":
      return { kind: "number", min: numberOr(minimum), max: numberOr(maximum) };
    case "boolean":
      return { kind: "boolean" };
    case "array":
      return listKind(items);
    case "object": {
      const member = objectOf(additionalProperties)["type"];
      if (member === "string") return { kind: "record", values: "text" };
      return Array.isArray(member) ? { kind: "record", values: "scalar" } : { kind: "json", shape: "object" };
    }
    default:
      return { kind: "json", shape: "any" };
  }
}

function listKind(items: JsonValue | undefined): ParamKind {
  const member = objectOf(items);
  if (member["type"] === "string") return { kind: "texts" };
  if (member["properties"] === undefined) return { kind: "json", shape: "list" };
  const { properties, required } = partsOf(member);
  const fields = Object.entries(properties).map(([name, schema]): ParamField => ({
    ...fieldBase(name, schema, required.has(name), objectOf(schema)["default"]),
    ...kindOf(schema),
  }));
  return { kind: "objects", fields };
}

function toJsonSchema(schema: z.ZodType): JsonObject {
  return jsonObjectSchema.parse(z.toJSONSchema(schema, { io: "input" }));
}

/** JSON Schema has no default for a number that may be a text, so this asks the zod schema. */
function defaultOf(params: z.ZodType, name: string): JsonValue | undefined {
  const field: unknown = params instanceof z.ZodObject ? params.shape[name] : undefined;
  if (!(field instanceof z.ZodType)) return undefined;
  const { success, data } = field.safeParse(undefined);
  return success && data !== undefined ? jsonValueSchema.parse(data) : undefined;
}

function partsOf({ properties, required }: JsonObject) {
  return { properties: objectOf(properties), required: new Set(Array.isArray(required) ? required.map(String) : []) };
}

function numberOr(value: JsonValue | undefined): number | null {
  return typeof value === "number" ? value : null;
}
