import { isJsonObject, jsonObjectSchema } from "./json.ts";
import { z } from "zod";
import { DIGITS_TOO } from "./action-params.ts";
import { ACTIONS, isActionName } from "./action.ts";
import type { ActionName, CodeLanguage } from "./action.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { workflowFileSchema } from "./workflow-file.ts";

const NODE = "node";
const CONDITION_GROUP = "conditionGroup";
const TEMPLATE = "template";
const DIGITS = "^-?[0-9]{1,15}$";

/**
 * The JSON Schema (2020-12) of a workflow file, from the contract. The contract bounds nesting by spelling every level
 * out; here each level refers to the same definition, so that an editor reads 30 KB instead of a megabyte. The
 * parameters of every action are told too, a template standing for any value. `id` is the schema's own address.
 */
export function workflowFileJsonSchema(id: string): JsonObject {
  const { $schema = "", ...whole } = toJsonSchema(workflowFileSchema);
  const hoisted = new Map<string, JsonValue>();
  const root = hoist(withoutPlainNames(whole), hoisted);
  const node = hoisted.get(NODE);
  return {
    $schema,
    $id: id,
    title: "Bellhop workflow",
    ...(isJsonObject(root) ? root : {}),
    $defs: {
      [NODE]: node === undefined ? {} : withActions(node),
      [CONDITION_GROUP]: hoisted.get(CONDITION_GROUP) ?? {},
      [TEMPLATE]: { type: "string", pattern: "\\{\\{[^{}]+\\}\\}", description: "{{path.of.value | filter}}" },
    },
  };
}

function toJsonSchema(schema: z.ZodType): JsonObject {
  return jsonObjectSchema.parse(z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" }));
}

/** That names are texts is no constraint. */
function withoutPlainNames(schema: JsonValue): JsonValue {
  return mapObjects(schema, (object) => {
    const { propertyNames, ...rest } = object;
    return isJsonObject(propertyNames) && Object.keys(propertyNames).join() === "type" ? rest : object;
  });
}

/** Takes the first, and so the deepest, of each recursive shape out; all of them become references to it. */
function hoist(schema: JsonValue, hoisted: Map<string, JsonValue>): JsonValue {
  if (Array.isArray(schema)) return schema.map((member) => hoist(member, hoisted));
  if (!isJsonObject(schema)) return schema;
  const name = recursiveName(schema);
  if (name === null) return mapMembers(schema, (member) => hoist(member, hoisted));
  if (!hoisted.has(name)) {
    // Noted before its members are: the same shape inside of it refers to it.
    hoisted.set(name, true);
    hoisted.set(
      name,
      mapMembers(schema, (member) => hoist(member, hoisted)),
    );
  }
  return { $ref: `#/$defs/${name}` };
}

function recursiveName({ oneOf, properties }: JsonObject): string | null {
  if (isJsonObject(properties) && "logic" in properties && "conditions" in properties) return CONDITION_GROUP;
  return Array.isArray(oneOf) && oneOf.some((branch) => typeOfNode(branch) === "action") ? NODE : null;
}

function typeOfNode(schema: JsonValue): JsonValue | undefined {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  const type = isJsonObject(properties) ? properties["type"] : undefined;
  return isJsonObject(type) ? type["const"] : undefined;
}

/** The names of the actions, and for each its parameters. */
function withActions(node: JsonValue): JsonValue {
  const branches = isJsonObject(node) && Array.isArray(node["oneOf"]) ? node["oneOf"] : [];
  return {
    oneOf: branches.map((branch) => {
      if (!isJsonObject(branch) || !isJsonObject(branch["properties"]) || typeOfNode(branch) !== "action")
        return branch;
      const actions = Object.keys(ACTIONS).filter(isActionName);
      return {
        ...branch,
        properties: { ...branch["properties"], action: { type: "string", enum: actions } },
        allOf: actions.map((action) => ({
          if: { properties: { action: { const: action } }, required: ["action"] },
          // oxlint-disable-next-line unicorn/no-thenable
          then: { properties: { params: paramsOf(action) } },
        })),
      };
    }),
  };
}

function paramsOf(action: ActionName): JsonValue {
  const { code, params } = ACTIONS[action];
  const { $schema: _dialect, ...schema } = toJsonSchema(params);
  const plain = withoutPlainNames(schema);
  if (!isJsonObject(plain) || !isJsonObject(plain["properties"])) return plain;
  const properties = Object.entries(plain["properties"]).map(([name, property]): [string, JsonValue] => {
    const language = Object.hasOwn(code, name) ? code[name] : undefined;
    if (language === undefined || !isJsonObject(property)) return [name, orTemplate(property)];
    return [name, { ...property, description: `Code, ${language}: ${inCode(action, language)}` }];
  });
  return { ...plain, properties: Object.fromEntries(properties) };
}

function inCode(action: ActionName, language: CodeLanguage): string {
  if (language === "sql") return "a template is a bound parameter.";
  const others = ACTIONS[action].namedValues === "env" ? " Other values go into env." : "";
  return `a template takes plain words only.${others}`;
}

/** A template may stand for any value of a parameter; in plain text it is text. */
function orTemplate(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema) || Object.keys(schema).length === 0) return schema;
  const isText = schema["type"] === "string" && !("pattern" in schema) && !("enum" in schema) && !("format" in schema);
  if (isText) return schema;
  const { properties, items, additionalProperties, anyOf, [DIGITS_TOO]: digitsToo, ...rest } = schema;
  const inner: JsonObject = {
    ...rest,
    ...(isJsonObject(properties) ? { properties: mapMembers(properties, orTemplate) } : {}),
    ...(items === undefined ? {} : { items: orTemplate(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: orTemplate(additionalProperties) }),
  };
  const branches = Array.isArray(anyOf) ? anyOf.map(orTemplate) : [inner];
  const digits = digitsToo === true ? [{ type: "string", pattern: DIGITS }] : [];
  return { anyOf: [...branches, ...digits, { $ref: `#/$defs/${TEMPLATE}` }] };
}

function mapObjects(value: JsonValue, change: (object: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((member) => mapObjects(member, change));
  return isJsonObject(value) ? mapMembers(change(value), (member) => mapObjects(member, change)) : value;
}

function mapMembers(object: JsonObject, change: (member: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, change(member)]));
}
