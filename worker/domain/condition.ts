import type { Condition, ConditionGroup, ConditionOperator } from "../../schema/contract/condition.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { matchesPattern, patternProblem } from "./pattern.ts";
import { hasTemplate } from "./template-texts.ts";
import { fieldTemplate } from "./template/parse.ts";
import { renderData } from "./render-data.ts";
import { evaluate } from "./template/filters.ts";
import type { Steps } from "./steps.ts";
import { textOf } from "./template/value.ts";
import type { Resolve } from "./template/value.ts";

type Test = (found: JsonValue | undefined, wanted: JsonValue) => boolean;

/** Whether a group holds. An empty `all` holds; an empty `any` does not. */
export function evaluateConditions({ logic, conditions }: ConditionGroup, resolve: Resolve): boolean {
  const holds = (member: Condition | ConditionGroup) =>
    "conditions" in member ? evaluateConditions(member, resolve) : evaluateCondition(member, resolve);
  return logic === "all" ? conditions.every(holds) : conditions.some(holds);
}

/**
 * Whether a value passes an operator's test. `wanted` is a pattern in RE2 syntax for `matches` and `notMatches`.
 */
export function passes(operator: ConditionOperator, found: JsonValue | undefined, wanted: JsonValue): boolean {
  return TESTS[operator](found, wanted);
}

/** The problem with a condition's value when it is saved; null without one. A pattern is text without templates. */
export function valueProblem({ operator, value }: Condition, steps: Steps): string | null {
  if (operator !== "matches" && operator !== "notMatches") return null;
  if (typeof value !== "string") return "must be a pattern";
  return hasTemplate(value, steps)
    ? "must be a pattern without a template: compare with equals, contains, startsWith or endsWith instead"
    : patternProblem(value, steps);
}

function evaluateCondition({ field, operator, value }: Condition, resolve: Resolve): boolean {
  const template = fieldTemplate(field);
  const found = template === null ? undefined : evaluate(template, resolve);
  return passes(operator, found, renderData(value ?? "", resolve));
}

const TESTS: Readonly<Record<ConditionOperator, Test>> = {
  equals: isSame,
  notEquals: (found, wanted) => !isSame(found, wanted),
  contains,
  notContains: (found, wanted) => !contains(found, wanted),
  startsWith: (found, wanted) => isPlain(found) && textOf(found).startsWith(textOf(wanted)),
  endsWith: (found, wanted) => isPlain(found) && textOf(found).endsWith(textOf(wanted)),
  in: isOneOf,
  notIn: (found, wanted) => !isOneOf(found, wanted),
  exists: (found) => found !== undefined && found !== null,
  notExists: (found) => found === undefined || found === null,
  greaterThan: (found, wanted) => (compare(found, wanted) ?? 0) > 0,
  lessThan: (found, wanted) => (compare(found, wanted) ?? 0) < 0,
  matches,
  notMatches: (found, wanted) => !matches(found, wanted),
};

/**
 * Plain values are equal when their texts are: callers send numbers as text, and a script's output is always text.
 * Undefined, null and the empty text are equal: an unresolved path is an empty value.
 */
function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isPlain(a) && isPlain(b)) return textOf(a) === textOf(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((member, index) => isSame(member, b[index]));
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

function contains(found: JsonValue | undefined, wanted: JsonValue): boolean {
  if (Array.isArray(found)) return found.some((member) => isSame(member, wanted));
  if (typeof found === "object" && found !== null) return Object.hasOwn(found, textOf(wanted));
  return found !== undefined && found !== null && textOf(found).includes(textOf(wanted));
}

function isOneOf(found: JsonValue | undefined, wanted: JsonValue): boolean {
  return Array.isArray(wanted) && wanted.some((member) => isSame(found, member));
}

/** A list or an object is matched as its JSON; a missing value is the empty text. */
function matches(found: JsonValue | undefined, pattern: JsonValue): boolean {
  return matchesPattern(textOf(pattern), textOf(found));
}

/** Numbers compare as numbers, other texts as text, as ISO 8601 times do. Null for values that do not compare. */
function compare(a: JsonValue | undefined, b: JsonValue): number | null {
  const [first, second] = [toNumber(a), toNumber(b)];
  if (first !== null && second !== null) return first - second;
  if (typeof a !== "string" || typeof b !== "string" || a === "" || b === "") return null;
  if (first !== null || second !== null) return null;
  return a < b ? -1 : a > b ? 1 : 0;
}

function toNumber(value: JsonValue | undefined): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/iu.test(value)) return null;
  return Number(value);
}

function isPlain(value: JsonValue | undefined): value is string | number | boolean | null | undefined {
  return typeof value !== "object" || value === null;
}
