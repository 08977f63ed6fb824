import type { Condition, ConditionGroup } from "../../schema/contract/condition.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { isJsonObject, objectOf } from "../../schema/contract/json-object.ts";
import type { Graph, Node, TriggerType } from "../../schema/contract/workflow.ts";
import { referencesOf } from "../../worker/domain/graph/node-references.ts";
import { templatesIn } from "../../worker/domain/template-texts.ts";
import { fieldTemplate, loneTemplate, templatesOf } from "../../worker/domain/template/parse.ts";
import { pathText } from "./path-text.ts";

const PLACEHOLDER = "example";
const INDEX = /^\d{1,3}$/u;

/**
 * The variables that a workflow's templates use, each with a plausible value: the value that a condition compares it
 * with, or a list for a forEach. `webhook` and `inputs` are the same variables. In a manual run, an incident's fields come
 * from the variable `incident`, and those of a failed run from `failed`.
 */
export function sampleVariables(definition: Graph): JsonObject {
  const sample: JsonObject = {};
  for (const { path, value } of usesIn(definition)) put(sample, path, value);
  return sample;
}

/** One of these variables as a template spells it, such as `webhook.service`; null without variables. */
export function examplePath(trigger: TriggerType, variables: JsonObject): string | null {
  const root = ROOTS[trigger];
  const isNested = trigger === "incident" || trigger === "failure";
  const [name] = Object.keys(isNested && root !== null ? objectOf(variables[root]) : variables);
  return root === null || name === undefined ? null : pathText([root, name]);
}

const ROOTS = {
  webhook: "webhook",
  manual: "inputs",
  incident: "incident",
  cron: null,
  failure: "failed",
} satisfies Record<TriggerType, string | null>;

interface Use {
  /** Relative to the variables. */
  path: readonly string[];
  value: JsonValue;
}

function usesIn({ nodes }: Graph): Use[] {
  return nodes.flatMap((node) => [...usesOfNode(node), ...(node.type === "forEach" ? usesIn(node.body) : [])]);
}

function usesOfNode(node: Node): Use[] {
  if (node.type === "forEach") return usesAt(loneTemplate(node.items)?.path ?? null, [PLACEHOLDER]);
  if (node.type === "condition") return usesInConditions(node.when);
  return referencesOf(node).flatMap(({ template }) => usesAt(template.path, PLACEHOLDER));
}

function usesInConditions({ conditions }: ConditionGroup): Use[] {
  return conditions.flatMap((member) => {
    if ("conditions" in member) return usesInConditions(member);
    return [...usesAt(fieldTemplate(member.field)?.path ?? null, valueFor(member)), ...usesInText(member.value)];
  });
}

function usesInText(value: JsonValue | undefined): Use[] {
  return templatesIn(value).flatMap(({ parsed }) =>
    templatesOf(parsed).flatMap(({ path }) => usesAt(path, PLACEHOLDER)),
  );
}

/** A value that meets the condition, when one is easy to find. */
function valueFor({ operator, value }: Condition): JsonValue {
  if (typeof value === "string" && value.includes("{{")) return PLACEHOLDER;
  if (operator === "in" && Array.isArray(value)) return value[0] ?? PLACEHOLDER;
  if (operator === "equals" || operator === "startsWith" || operator === "endsWith" || operator === "contains") {
    return value ?? PLACEHOLDER;
  }
  if (operator === "greaterThan" && typeof value === "number") return value + 1;
  if (operator === "lessThan" && typeof value === "number") return value - 1;
  return PLACEHOLDER;
}

function usesAt(path: readonly string[] | null, value: JsonValue): Use[] {
  const [root, ...rest] = path ?? [];
  if (root === "incident" || root === "failed") return [{ path: [root, ...rest], value }];
  return (root === "webhook" || root === "inputs") && rest.length > 0 ? [{ path: rest, value }] : [];
}

/** Sets a value, but never replaces a value that is more specific than the placeholder. */
function put(into: JsonObject, [name, ...rest]: readonly string[], value: JsonValue): void {
  if (name === undefined || name === "__proto__") return;
  const there = Object.hasOwn(into, name) ? into[name] : undefined;
  if (rest.length === 0) {
    if (there === undefined || there === PLACEHOLDER) into[name] = value;
    return;
  }
  const [next = "", ...further] = rest;
  if (INDEX.test(next)) {
    const list = Array.isArray(there) ? there : [];
    const holder: JsonObject = list[0] === undefined ? {} : { "0": list[0] };
    put(holder, ["0", ...further], value);
    list[0] = holder["0"] ?? PLACEHOLDER;
    into[name] = list;
    return;
  }
  const below = isJsonObject(there) ? there : {};
  put(below, rest, value);
  into[name] = below;
}
