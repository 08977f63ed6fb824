import { describe, expect, test } from "bun:test";
import type { Condition, ConditionOperator } from "../../schema/contract/condition.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { evaluateConditions } from "../../worker/domain/condition.ts";
import { ownValue } from "../../worker/domain/template/index.ts";

const VALUES: JsonObject = {
  text: "high",
  number: 5,
  numeral: "5",
  zero: 0,
  no: false,
  nothing: null,
  empty: "",
  list: ["a", 2, { x: 1 }],
  object: { key: "v" },
  time: "2026-11-21T03:00:00.000Z",
};
const resolve = (path: readonly string[]) => ownValue(VALUES, path);
const holds = (conditions: Condition[], logic: "all" | "any" = "all") =>
  evaluateConditions({ logic, conditions }, resolve);

describe("operators", () => {
  const cases: readonly [Condition["operator"], string, JsonValue | undefined, boolean][] = [
    ["equals", "text", "high", true],
    ["equals", "text", "High", false],
    ["equals", "number", 5, true],
    ["equals", "number", "5", true],
    ["equals", "numeral", 5, true],
    ["equals", "no", "false", true],
    ["equals", "zero", "", false],
    ["equals", "missing", "", true],
    ["equals", "nothing", "", true],
    ["equals", "list", ["a", 2, { x: 1 }], true],
    ["equals", "list", ["a", 2], false],
    ["equals", "object", { key: "v" }, true],
    ["equals", "object", { key: "w" }, false],
    ["equals", "object", "[object Object]", false],
    ["equals", "text", "{{text}}", true],
    ["notEquals", "text", "low", true],
    ["contains", "text", "ig", true],
    ["contains", "list", 2, true],
    ["contains", "list", { x: 1 }, true],
    ["contains", "list", "z", false],
    ["contains", "object", "key", true],
    ["contains", "object", "toString", false],
    ["contains", "missing", "", false],
    ["notContains", "missing", "x", true],
    ["startsWith", "text", "hi", true],
    ["startsWith", "list", "a", false],
    ["endsWith", "number", "5", true],
    ["endsWith", "text", "hi", false],
    ["in", "text", ["low", "high"], true],
    ["in", "number", ["5"], true],
    ["in", "missing", ["x"], false],
    ["notIn", "text", ["low"], true],
    ["exists", "empty", undefined, true],
    ["exists", "nothing", undefined, false],
    ["exists", "missing.deep", undefined, false],
    ["notExists", "nothing", undefined, true],
    ["greaterThan", "number", 4, true],
    ["greaterThan", "numeral", "10", false],
    ["greaterThan", "text", 4, false],
    ["greaterThan", "missing", -1, false],
    ["greaterThan", "time", "2026-11-21T02:59:59.000Z", true],
    ["lessThan", "number", 5, false],
    ["lessThan", "zero", 1e3, true],
    ["lessThan", "list", 1, false],
  ];
  test.each(cases)("%s: %s, %j is %p", (operator, field, value, expected) => {
    expect(holds([{ field, operator, value }])).toBe(expected);
    expect(holds([{ field: `{{${field}}}`, operator, value }])).toBe(expected);
  });
});

test("all is AND and true when empty, any is OR and false when empty, and groups nest", () => {
  const yes: Condition = { field: "text", operator: "exists" };
  const no: Condition = { field: "missing", operator: "exists" };
  expect(holds([])).toBe(true);
  expect(holds([], "any")).toBe(false);
  expect(holds([yes, no])).toBe(false);
  expect(holds([yes, no], "any")).toBe(true);
  const nested = { logic: "any" as const, conditions: [no, { logic: "all" as const, conditions: [yes, yes] }] };
  expect(evaluateConditions(nested, resolve)).toBe(true);
});

describe("patterns", () => {
  const cases: [ConditionOperator, string, string, boolean][] = [
    ["matches", "text", "^h", true],
    ["matches", "text", "^$", false],
    ["matches", "missing", "^$", true],
    ["matches", "number", "^[0-9]+$", true],
    ["notMatches", "text", "(?i)^H", false],
    ["notMatches", "missing", "x", true],
    // Saving refuses a pattern that does not compile. One that was stored in another way matches nothing.
    ["matches", "text", "(", false],
  ];
  test.each(cases)("%s: %s, %j is %p", (operator, field, value, expected) => {
    expect(holds([{ field, operator, value }])).toBe(expected);
  });

  test("a pattern that makes backtracking engines hang ends in time", () => {
    const evil: Condition = { field: "as", operator: "matches", value: "^(a+)+$" };
    const as = `${"a".repeat(50_000)}b`;
    expect(evaluateConditions({ logic: "all", conditions: [evil] }, ([name]) => (name === "as" ? as : ""))).toBe(false);
  });
});
