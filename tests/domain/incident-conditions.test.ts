import { describe, expect, test } from "bun:test";
import type { Condition, ConditionGroup } from "../../schema/contract/condition.ts";
import { incidentConditionProblems } from "../../worker/domain/incident/conditions.ts";

const problemsOf = (...conditions: (Condition | ConditionGroup)[]) =>
  incidentConditionProblems({ logic: "all", conditions }, "conditions");

describe("a condition's field", () => {
  const cases: [string, string][] = [
    ["Severity", "write severity"],
    ["incident.severity", "write severity"],
    ["{{incident.host}}", "write host"],
    ["incident.tags.env", "write tags.env"],
    ["team", "write one of severity, status"],
    ["tags", "tags.<key>"],
    ["tags.", "tags.<key>"],
    ["toString", "tags.<key>"],
  ];
  test.each(cases)("%s is refused: %s", (field, advice) => {
    const [problem, ...others] = problemsOf({ field, operator: "exists" });
    expect(problem?.path).toBe("conditions.conditions.0.field");
    expect(problem?.message).toContain(advice);
    expect(others).toEqual([]);
  });

  test.each([
    "severity",
    "status",
    "service",
    "source",
    "host",
    "teamId",
    "title",
    "tags.a",
    "tags.a.b/c",
    "tags.tags.",
  ])("%s is accepted", (field) => {
    expect(problemsOf({ field, operator: "exists" })).toEqual([]);
  });
});

describe("a value that makes no sense is reported", () => {
  const cases: [Condition, string][] = [
    [{ field: "severity", operator: "equals", value: "urgent" }, "must be one of critical, high, medium, low"],
    [{ field: "severity", operator: "equals", value: "High" }, "severity has no other value"],
    [{ field: "severity", operator: "notEquals", value: 1 }, "severity has no other value"],
    [{ field: "severity", operator: "in", value: ["high", "urgent"] }, "must contain only critical, high, medium, low"],
    [{ field: "severity", operator: "greaterThan", value: 3 }, "must be one of critical"],
    [{ field: "severity", operator: "startsWith", value: "urg" }, "matches no severity"],
    [{ field: "severity", operator: "matches", value: "^urg" }, "matches no severity"],
    [{ field: "status", operator: "equals", value: "open" }, "must be one of triggered, acknowledged, resolved"],
    [{ field: "status", operator: "lessThan", value: "resolved" }, "status has no order"],
    [{ field: "eventType", operator: "equals", value: "created" }, "must be one of incident.created"],
    [{ field: "host", operator: "matches", value: "(" }, "is not a pattern in RE2 syntax"],
    [{ field: "host", operator: "notMatches", value: "(?=x)" }, "is not a pattern in RE2 syntax"],
    [{ field: "host", operator: "matches", value: "{{webhook.x}}" }, "must be a pattern without a template"],
    [{ field: "host", operator: "equals", value: "{{incident.service}}" }, "takes no template"],
    [{ field: "host", operator: "in", value: ["{{incident.service}}"] }, "takes no template"],
    [{ field: "host", operator: "equals", value: ["web-1"] }, "must be text, a number, or true or false"],
    [{ field: "host", operator: "contains", value: { a: "b" } }, "must be text, a number, or true or false"],
    [{ field: "host", operator: "in", value: [] }, "must have at least one value"],
    [{ field: "host", operator: "notIn", value: [["a"]] }, "must contain only texts"],
    [{ field: "host", operator: "greaterThan", value: true }, "must be a number or text"],
    [{ field: "tags.load", operator: "lessThan", value: "" }, "must be a number or text"],
  ];
  test.each(cases)("%j: %s", (condition, message) => {
    const [problem, ...others] = problemsOf(condition);
    expect(problem?.path).toBe("conditions.conditions.0.value");
    expect(problem?.message).toContain(message);
    expect(others).toEqual([]);
  });
});

test("all problems are reported together, each at its place in nested groups", () => {
  const bad: Condition = { field: "colour", operator: "matches", value: "(" };
  const group: ConditionGroup = { logic: "any", conditions: [{ field: "host", operator: "exists" }, bad] };
  expect(problemsOf(bad, group, { logic: "any", conditions: [] }).map(({ path }) => path)).toEqual([
    "conditions.conditions.0.field",
    "conditions.conditions.0.value",
    "conditions.conditions.1.conditions.1.field",
    "conditions.conditions.1.conditions.1.value",
    "conditions.conditions.2",
  ]);
});

test("sensible conditions are accepted", () => {
  const sensible: Condition[] = [
    { field: "severity", operator: "in", value: ["critical", "high"] },
    { field: "severity", operator: "greaterThan", value: "low" },
    { field: "severity", operator: "exists" },
    { field: "status", operator: "notMatches", value: "^res" },
    { field: "assignedTo", operator: "equals", value: null },
    { field: "tags.build", operator: "equals", value: 17 },
    { field: "tags.canary", operator: "notEquals", value: true },
    { field: "title", operator: "contains", value: 'a literal {{"{{"}} stays' },
    { field: "createdAt", operator: "greaterThan", value: "2026-01-01T00:00:00Z" },
  ];
  expect(problemsOf(...sensible, { logic: "all", conditions: [] })).toEqual([]);
  expect(incidentConditionProblems({ logic: "any", conditions: [] }, "conditions")).toEqual([]);
});
