import { jsonObjectSchema } from "./json.ts";
import { z } from "zod";
import { DIGITS_TOO } from "./action-params.ts";
import { ACTIONS, isActionName } from "./action.ts";
import { anyConditionGroupSchema } from "./condition.ts";
import type { ActionName, CodeLanguage } from "./action.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { isJsonObject } from "./json-object.ts";
import { workflowFileSchema } from "./workflow-file.ts";
import { nodeSchema } from "./workflow.ts";

const TEMPLATE = "template";
const DIGITS = "^-?[0-9]{1,15}$";

/** The file and the recursive shapes: an editor reads each of them once. */
const NAMED = z
  .registry<{ id: string }>()
  .add(workflowFileSchema, { id: "file" })
  .add(nodeSchema, { id: "node" })
  .add(anyConditionGroupSchema, { id: "conditionGroup" });

/**
 * The JSON Schema (2020-12) of a workflow file, from the contract, without the nesting limits. Includes the parameters
 * of every action, where a template may replace any value. `id` is the schema's own address.
 */
export function workflowFileJsonSchema(id: string): JsonObject {
  const { schemas } = z.toJSONSchema(NAMED, { io: "input", uri: (name) => `#/$defs/${name}` });
  const { file = {}, node = {}, conditionGroup = {} } = z.record(z.string(), jsonObjectSchema).parse(schemas);
  const { $schema = "" } = file;
  return {
    $schema,
    $id: id,
    title: "Bellhop workflow",
    ...tidy(file),
    $defs: {
      node: withActions(tidy(node)),
      conditionGroup: tidy(conditionGroup),
      [TEMPLATE]: { type: "string", pattern: "\\{\\{[^{}]+\\}\\}", description: "{{path.of.value | filter}}" },
    },
  };
}

/**
 * Without the keys that identify a schema as a document, and without the rule that names are strings, which is always
 * true.
 */
function tidy({ $schema: _dialect, $id: _address, ...schema }: JsonObject): JsonObject {
  return mapObjects(schema, (object) => {
    const { propertyNames, ...rest } = object;
    return isJsonObject(propertyNames) && Object.keys(propertyNames).join() === "type" ? rest : object;
  });
}

/** The names of the actions, with the parameters of each. */
function withActions({ oneOf }: JsonObject): JsonValue {
  const branches = Array.isArray(oneOf) ? oneOf : [];
  return {
    oneOf: branches.map((branch) => {
      if (!isJsonObject(branch) || !isJsonObject(branch["properties"]) || !("action" in branch["properties"]))
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
  const plain = tidy(jsonObjectSchema.parse(z.toJSONSchema(params, { io: "input" })));
  if (!isJsonObject(plain["properties"])) return plain;
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
  return `a template takes only plain words.${others}`;
}

/** A template may replace any value of a parameter; in JSON Schema it is a string. */
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

function mapObjects(value: JsonObject, change: (object: JsonObject) => JsonObject): JsonObject {
  const inside = (member: JsonValue): JsonValue => {
    if (Array.isArray(member)) return member.map(inside);
    return isJsonObject(member) ? mapObjects(member, change) : member;
  };
  return mapMembers(change(value), inside);
}

function mapMembers(object: JsonObject, change: (member: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, change(member)]));
}
