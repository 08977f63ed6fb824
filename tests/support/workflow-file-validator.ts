import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";

/** Keywords without a rule about values. Any unknown keyword fails, so that no rule goes unchecked. */
const ANNOTATIONS = new Set(["$schema", "$id", "$defs", "title", "description", "default", "then"]);

/**
 * The parts of a value that do not fit the published schema of workflow files; empty when all fit. Knows `if` and
 * `then`.
 */
export function fileProblems(root: JsonObject, value: JsonValue): string[] {
  return problems(root, value, "", root);
}

function problems(schema: JsonValue, value: JsonValue, at: string, root: JsonObject): string[] {
  if (schema === true) return [];
  if (schema === false) return [`${at}: no value is allowed here`];
  if (!isJsonObject(schema)) throw new Error(`not a schema: ${JSON.stringify(schema)}`);
  return Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (ANNOTATIONS.has(keyword)) return [];
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`this validator does not know ${keyword}`);
    return check(wanted, value, at, root, schema);
  });
}

type Check = (wanted: JsonValue, value: JsonValue, at: string, root: JsonObject, schema: JsonObject) => string[];

const KEYWORDS: Readonly<Record<string, Check>> = {
  $ref: (wanted, value, at, root) => problems(target(root, String(wanted)), value, at, root),
  type: (wanted, value, at) =>
    unless(
      [wanted].flat().some((type) => isOfType(String(type), value)),
      `${at}: wrong type`,
    ),
  const: (wanted, value, at) => unless(JSON.stringify(wanted) === JSON.stringify(value), `${at}: not the constant`),
  enum: (wanted, value, at) => unless([wanted].flat().includes(value), `${at}: none of the values`),
  pattern: (wanted, value, at) =>
    unless(typeof value !== "string" || new RegExp(String(wanted), "u").test(value), `${at}: does not match`),
  minLength: (wanted, value, at) =>
    unless(typeof value !== "string" || [...value].length >= Number(wanted), `${at}: too short`),
  maxLength: (wanted, value, at) =>
    unless(typeof value !== "string" || [...value].length <= Number(wanted), `${at}: too long`),
  minimum: (wanted, value, at) => unless(typeof value !== "number" || value >= Number(wanted), `${at}: too small`),
  maximum: (wanted, value, at) => unless(typeof value !== "number" || value <= Number(wanted), `${at}: too large`),
  minItems: (wanted, value, at) => unless(!Array.isArray(value) || value.length >= Number(wanted), `${at}: too few`),
  maxItems: (wanted, value, at) => unless(!Array.isArray(value) || value.length <= Number(wanted), `${at}: too many`),
  items: (wanted, value, at, root) =>
    Array.isArray(value) ? value.flatMap((member, index) => problems(wanted, member, `${at}/${index}`, root)) : [],
  required: (wanted, value, at) =>
    [wanted]
      .flat()
      .flatMap((name) =>
        unless(!isJsonObject(value) || Object.hasOwn(value, String(name)), `${at}: lacks ${String(name)}`),
      ),
  properties: (wanted, value, at, root) =>
    entriesOf(value).flatMap(([name, member]) =>
      isJsonObject(wanted) && Object.hasOwn(wanted, name)
        ? problems(wanted[name] ?? true, member, `${at}/${name}`, root)
        : [],
    ),
  propertyNames: (wanted, value, at, root) =>
    entriesOf(value).flatMap(([name]) => problems(wanted, name, `${at}/${name}`, root)),
  additionalProperties: (wanted, value, at, root, schema) => {
    const known = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const others = entriesOf(value).filter(([name]) => !Object.hasOwn(known, name));
    return others.flatMap(([name, member]) => problems(wanted, member, `${at}/${name}`, root));
  },
  anyOf: (wanted, value, at, root) => {
    const branches = [wanted].flat().map((branch) => problems(branch, value, at, root));
    return branches.some((found) => found.length === 0) ? [] : [`${at}: fits no branch`, ...branches.flat()];
  },
  oneOf: (wanted, value, at, root) => {
    const branches = [wanted].flat().map((branch) => problems(branch, value, at, root));
    const fits = branches.filter((found) => found.length === 0).length;
    return fits === 1 ? [] : [`${at}: fits ${fits} branches`, ...branches.flat()];
  },
  allOf: (wanted, value, at, root) => [wanted].flat().flatMap((branch) => problems(branch, value, at, root)),
  if: (wanted, value, at, root, schema) =>
    problems(wanted, value, at, root).length === 0 ? problems(schema["then"] ?? true, value, at, root) : [],
};

function target(root: JsonObject, ref: string): JsonValue {
  const parts = ref.replace(/^#\//u, "").split("/");
  const found = parts.reduce<JsonValue | undefined>((at, part) => (isJsonObject(at) ? at[part] : undefined), root);
  if (found === undefined) throw new Error(`${ref} does not exist`);
  return found;
}

function unless(holds: boolean, problem: string): string[] {
  return holds ? [] : [problem];
}

function isOfType(type: string, value: JsonValue): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function entriesOf(value: JsonValue): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
