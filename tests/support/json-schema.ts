import type { JsonSchema } from "../../worker/http/openapi/types.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";

/**
 * The errors of a value by JSON Schema 2020-12, as far as the API's description uses it; an unknown keyword is an error
 * of the schema. Stricter in one point: a field without a schema is always refused, as by `unevaluatedProperties:
 * false`.
 */
export function schemaErrors(schema: JsonSchema, value: unknown, resolve: (ref: string) => JsonSchema): string[] {
  return located(schema, value, "", resolve);
}

const KEYWORDS = new Set(
  (
    "$ref type const enum allOf anyOf oneOf properties required additionalProperties propertyNames items minItems " +
    "maxItems minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum title description default"
  ).split(" "),
);

export function unknownKeywords(schema: JsonSchema): string[] {
  return Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword));
}

type Resolve = (ref: string) => JsonSchema;
type Finding = { errors: string[]; named: Set<string> | "all" };

function located(schema: JsonSchema, value: unknown, path: string, resolve: Resolve): string[] {
  const { errors, named } = evaluate(schema, value, path, resolve);
  if (!isJsonObject(value) || named === "all") return errors;
  const undescribed = Object.keys(value).filter((name) => !named.has(name));
  return [...errors, ...undescribed.map((name) => `${path}/${name} is not described`)];
}

function evaluate(schema: JsonSchema, value: unknown, path: string, resolve: Resolve): Finding {
  const findings: Finding[] = [];
  const errors = [
    ...unknownKeywords(schema).map((keyword) => `${path} has a schema with the keyword ${keyword}`),
    ...typeErrors(schema, value, path),
    ...boundErrors(schema, value, path),
  ];
  if (schema.$ref !== undefined) findings.push(evaluate(resolve(schema.$ref), value, path, resolve));
  for (const inner of schema.allOf ?? []) findings.push(evaluate(inner, value, path, resolve));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    const tried = choices.map((inner) => ({
      inner: evaluate(inner, value, path, resolve),
      strict: located(inner, value, path, resolve),
    }));
    const fitting = tried.filter(({ strict }) => strict.length === 0);
    if (schema.oneOf !== undefined && fitting.length > 1) errors.push(`${path} fits ${fitting.length} of oneOf`);
    const [best] = fitting.length > 0 ? fitting : tried.toSorted((a, b) => a.strict.length - b.strict.length);
    if (best !== undefined) findings.push(best.inner);
  }
  if (Array.isArray(value)) errors.push(...itemErrors(schema, value, path, resolve));
  if (isJsonObject(value)) findings.push(fields(schema, value, path, resolve));
  const silent = !Object.keys(schema).some(
    (keyword) => keyword !== "title" && keyword !== "description" && keyword !== "default",
  );
  const open = silent || findings.some(({ named }) => named === "all");
  return {
    errors: [...errors, ...findings.flatMap((finding) => finding.errors)],
    named: open ? "all" : new Set(findings.flatMap(({ named }) => (named === "all" ? [] : [...named]))),
  };
}

function fields(schema: JsonSchema, value: Record<string, unknown>, path: string, resolve: Resolve): Finding {
  const { properties = {}, additionalProperties, propertyNames, required = [] } = schema;
  const errors = required.filter((name) => !(name in value)).map((name) => `${path}/${name} is missing`);
  for (const [name, inner] of Object.entries(value)) {
    const own = properties[name];
    const field = own ?? additionalProperties;
    if (typeof field === "object") errors.push(...located(field, inner, `${path}/${name}`, resolve));
    if (own === undefined && additionalProperties === false) errors.push(`${path}/${name} is not allowed`);
    if (typeof propertyNames === "object") errors.push(...located(propertyNames, name, `${path}/${name}`, resolve));
  }
  const open = additionalProperties === true || typeof additionalProperties === "object";
  return { errors, named: open ? "all" : new Set(Object.keys(properties)) };
}

function itemErrors(schema: JsonSchema, value: unknown[], path: string, resolve: Resolve): string[] {
  const { items, minItems = 0, maxItems = Infinity } = schema;
  const fits = value.length >= minItems && value.length <= maxItems;
  return [
    ...(fits ? [] : [`${path} has ${value.length} entries`]),
    ...(typeof items !== "object" || Array.isArray(items)
      ? []
      : value.flatMap((entry, index) => located(items, entry, `${path}/${index}`, resolve))),
  ];
}

function typeErrors({ type, const: only, enum: some }: JsonSchema, value: unknown, path: string): string[] {
  const types: string[] = [type ?? []].flat();
  const fits =
    types.length === 0 || types.includes(typeOf(value)) || (types.includes("number") && typeof value === "number");
  return [
    ...(fits ? [] : [`${path} is ${typeOf(value)}, not ${types.join(" or ")}`]),
    ...(only === undefined || only === value ? [] : [`${path} is not ${String(only)}`]),
    ...(some === undefined || some.some((option) => option === value)
      ? []
      : [`${path} is not one of ${some.join(", ")}`]),
  ];
}

function boundErrors(schema: JsonSchema, value: unknown, path: string): string[] {
  const errors: string[] = [];
  if (typeof value === "string") {
    const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
    if (value.length < minLength || value.length > maxLength) errors.push(`${path} has ${value.length} characters`);
    if (pattern !== undefined && !new RegExp(pattern, "u").test(value))
      errors.push(`${path} does not match ${pattern}`);
    if (format !== undefined && !FORMATS[format]?.(value)) errors.push(`${path} is no ${format}`);
  }
  if (typeof value === "number") {
    const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
    if (value < minimum || value > maximum || value <= Number(exclusiveMinimum))
      errors.push(`${path} is out of bounds`);
  }
  return errors;
}

const FORMATS: Record<string, (text: string) => boolean> = {
  "date-time": (text) => /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/u.test(text) && !Number.isNaN(Date.parse(text)),
  email: (text) => /^[^@\s]+@[^@\s]+$/u.test(text),
  uri: (text) => URL.canParse(text),
};

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
