import { describe, expect, test } from "bun:test";
import { conditionOperatorSchema } from "../../schema/contract/condition.ts";
import type { Condition, ConditionGroup, ConditionOperator } from "../../schema/contract/condition.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { incidentEventTypeSchema } from "../../schema/contract/workflow.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { incidentConditionProblems } from "../../worker/domain/incident/conditions.ts";
import { startsFrom } from "../../worker/domain/incident/match.ts";

const SNAPSHOT: JsonObject = {
  id: "inc_1",
  title: "Disk full on web-1",
  description: null,
  severity: "high",
  status: "triggered",
  service: "shop",
  source: "alertmanager",
  host: "web-1.example.com",
  teamId: "ops",
  assignedTo: null,
  createdAt: "2026-11-21T03:00:00.000Z",
  tags: { env: "prod", load: "5", "kubernetes.io/name": "shop", "a..b c": "odd", empty: "" },
  eventType: "incident.created",
};

const trigger = (conditions?: ConditionGroup): Trigger => ({
  type: "incident",
  events: ["incident.created"],
  ...(conditions === undefined ? {} : { conditions }),
});
const starts = (...conditions: Condition[]) =>
  startsFrom(trigger({ logic: "all", conditions }), "incident.created", SNAPSHOT);

/** For each operator, a value that matches this text and one that does not. */
const VALUES: Record<ConditionOperator, (text: string) => { holds: JsonValue; fails: JsonValue }> = {
  equals: (text) => ({ holds: text, fails: `${text}x` }),
  notEquals: (text) => ({ holds: `${text}x`, fails: text }),
  contains: (text) => ({ holds: text.slice(1, -1), fails: `${text}x` }),
  notContains: (text) => ({ holds: `${text}x`, fails: text.slice(1, -1) }),
  startsWith: (text) => ({ holds: text.slice(0, 2), fails: text.slice(1) }),
  endsWith: (text) => ({ holds: text.slice(-2), fails: text.slice(0, -1) }),
  in: (text) => ({ holds: ["other", text], fails: ["other"] }),
  notIn: (text) => ({ holds: ["other"], fails: ["other", text] }),
  exists: () => ({ holds: "", fails: "" }),
  notExists: () => ({ holds: "", fails: "" }),
  greaterThan: (text) => ({ holds: text.slice(0, -1), fails: `${text}x` }),
  lessThan: (text) => ({ holds: `${text}x`, fails: text.slice(0, -1) }),
  matches: (text) => ({ holds: `^${text.slice(0, 2)}.*$`, fails: `^.${text}` }),
  notMatches: (text) => ({ holds: `^.${text}`, fails: `^${text.slice(0, 2)}.*$` }),
};
const FIELDS: [string, string][] = [
  ["status", "triggered"],
  ["service", "shop"],
  ["source", "alertmanager"],
  ["host", "web-1.example.com"],
  ["teamId", "ops"],
  ["title", "Disk full on web-1"],
  ["createdAt", "2026-11-21T03:00:00.000Z"],
  ["eventType", "incident.created"],
  ["tags.env", "prod"],
  ["tags.kubernetes.io/name", "shop"],
  ["tags.a..b c", "odd"],
];
/** Each operator's result for a field that the incident does not have. */
const OF_NOTHING: Record<ConditionOperator, boolean> = {
  equals: false,
  notEquals: true,
  contains: false,
  notContains: true,
  startsWith: false,
  endsWith: false,
  in: false,
  notIn: true,
  exists: false,
  notExists: true,
  greaterThan: false,
  lessThan: false,
  matches: false,
  notMatches: true,
};

describe.each(conditionOperatorSchema.options)("the operator %s", (operator) => {
  test.each(FIELDS)("compares %s", (field, text) => {
    const { holds, fails } = VALUES[operator](text);
    expect(starts({ field, operator, value: holds })).toBe(operator !== "notExists");
    expect(starts({ field, operator, value: fails })).toBe(operator === "exists");
  });

  test.each(["assignedTo", "description", "tags.missing", "tags.toString", "tags.__proto__"])(
    "has a fixed result for %s, which the incident does not have",
    (field) => {
      const value = operator === "in" || operator === "notIn" ? ["x"] : "x";
      expect(starts({ field, operator, value })).toBe(OF_NOTHING[operator]);
    },
  );
});

describe("a condition on severity", () => {
  const cases: [ConditionOperator, JsonValue, boolean][] = [
    ["equals", "high", true],
    ["notEquals", "critical", true],
    ["in", ["critical", "high"], true],
    ["notIn", ["critical", "high"], false],
    ["startsWith", "hi", true],
    ["matches", "^(critical|high)$", true],
    // By rank, not by the alphabet.
    ["greaterThan", "medium", true],
    ["greaterThan", "low", true],
    ["greaterThan", "high", false],
    ["greaterThan", "critical", false],
    ["lessThan", "critical", true],
    ["lessThan", "low", false],
    ["greaterThan", "urgent", false],
    ["lessThan", "urgent", false],
  ];
  test.each(cases)("%s %j: %p", (operator, value, expected) => {
    expect(starts({ field: "severity", operator, value })).toBe(expected);
  });
});

test("tags that are numbers compare as such, and an empty tag exists", () => {
  expect(starts({ field: "tags.load", operator: "greaterThan", value: 4.5 })).toBe(true);
  expect(starts({ field: "tags.load", operator: "lessThan", value: "10" })).toBe(true);
  expect(starts({ field: "tags.empty", operator: "exists" })).toBe(true);
});

describe("an event", () => {
  const yes: Condition = { field: "service", operator: "equals", value: "shop" };
  const no: Condition = { field: "service", operator: "equals", value: "bank" };

  test("must be of a type that the trigger names", () => {
    for (const type of incidentEventTypeSchema.options) {
      const both: Trigger = { type: "incident", events: ["incident.escalated", "incident.resolved"] };
      expect(startsFrom(both, type, SNAPSHOT)).toBe(type === "incident.escalated" || type === "incident.resolved");
      expect(startsFrom({ type: "webhook" }, type, SNAPSHOT)).toBe(false);
    }
  });

  test("starts the workflow when there are no conditions, with either logic", () => {
    expect(startsFrom(trigger(), "incident.created", SNAPSHOT)).toBe(true);
    expect(startsFrom(trigger({ logic: "all", conditions: [] }), "incident.created", SNAPSHOT)).toBe(true);
    expect(startsFrom(trigger({ logic: "any", conditions: [] }), "incident.created", SNAPSHOT)).toBe(true);
  });

  const groups: [string, ConditionGroup, boolean][] = [
    ["all of yes and no", { logic: "all", conditions: [yes, no] }, false],
    ["any of yes and no", { logic: "any", conditions: [yes, no] }, true],
    ["any of no", { logic: "any", conditions: [no] }, false],
    ["no, or yes and yes", { logic: "any", conditions: [no, { logic: "all", conditions: [yes, yes] }] }, true],
    ["yes, and no or no", { logic: "all", conditions: [yes, { logic: "any", conditions: [no, no] }] }, false],
    ["deep", { logic: "all", conditions: [{ logic: "any", conditions: [{ logic: "all", conditions: [yes] }] }] }, true],
  ];
  test.each(groups)("%s", (_name, group, expected) => {
    expect(startsFrom(trigger(group), "incident.created", SNAPSHOT)).toBe(expected);
  });
});

test("a pattern that makes backtracking engines hang ends in time, on a text of the greatest length", () => {
  const snapshot = { ...SNAPSHOT, description: `${"a".repeat(65_535)}b` };
  const evil: Condition = { field: "description", operator: "matches", value: "^(a+)+$" };
  expect(startsFrom(trigger({ logic: "all", conditions: [evil] }), "incident.created", snapshot)).toBe(false);
});

test("a value is plain text, not a template", () => {
  expect(starts({ field: "service", operator: "equals", value: "{{service}}" })).toBe(false);
});

test("every condition of the tables above can be saved, except values outside a field's enumeration", () => {
  const problems = conditionOperatorSchema.options.flatMap((operator) =>
    FIELDS.filter(([field]) => field !== "status" && field !== "eventType").flatMap(([field, text]) =>
      incidentConditionProblems(
        { logic: "all", conditions: [{ field, operator, value: VALUES[operator](text).holds }] },
        "",
      ),
    ),
  );
  expect(problems).toEqual([]);
});
