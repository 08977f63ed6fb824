import { describe, expect, test } from "bun:test";
import {
  EMPTY_CONDITION,
  addMember,
  canNest,
  indent,
  outdent,
  removeMember,
  replaceMember,
} from "../../console/workflow-forms/condition-tree.ts";
import { OPERATORS, sentenceOf, withOperator } from "../../console/workflow-forms/condition-labels.ts";
import { splitSeconds, toSeconds } from "../../console/workflow-forms/duration.ts";
import { problemText, problemsBelow, problemsElsewhere } from "../../console/workflow-forms/problems.ts";
import { sampleOf } from "../../console/workflow-forms/sample.ts";
import { examplePath, sampleVariables } from "../../console/workflow-forms/sample-variables.ts";
import { conditionGroupSchema } from "../../schema/contract/condition.ts";
import type { Condition, ConditionGroup } from "../../schema/contract/condition.ts";
import type { Definition, Trigger } from "../../schema/contract/workflow.ts";
import { sampleProblems, sampleStarts, sampleTrigger } from "../../worker/domain/dry-run/sample.ts";

const is = (field: string): Condition => ({ field, operator: "equals", value: field });
const all = (...conditions: ConditionGroup["conditions"]): ConditionGroup => ({ logic: "all", conditions });
const any = (...conditions: ConditionGroup["conditions"]): ConditionGroup => ({ logic: "any", conditions });

describe("a condition in the console", () => {
  test.each([
    [all(), "No conditions: always true."],
    [any(), "No conditions: never true."],
    [all({ field: "severity", operator: "equals", value: "critical" }), "When severity is “critical”."],
    [
      all(
        { field: "severity", operator: "in", value: ["high", "critical"] },
        any({ field: "host", operator: "startsWith", value: "web-" }, { field: "tags.env", operator: "exists" }),
      ),
      "When severity is one of “high”, “critical” and (host starts with “web-” or tags.env exists).",
    ],
    [any({ field: "", operator: "greaterThan", value: 5 }), "When … is greater than 5."],
    [all({ field: "title", operator: "notEquals", value: "" }), "When title is not empty."],
    [all(any(is("a")), any()), "When a is “a” and (never true)."],
  ])("%j reads: %s", (group, sentence) => expect(sentenceOf(group)).toBe(sentence));

  test("keeps or converts its value when the operator changes", () => {
    const one: Condition = { field: "a", operator: "equals", value: 5 };
    expect(withOperator(one, "in")).toEqual({ field: "a", operator: "in", value: [5] });
    expect(withOperator(one, "startsWith")).toEqual({ field: "a", operator: "startsWith", value: "5" });
    expect(withOperator(one, "exists")).toEqual({ field: "a", operator: "exists" });
    expect(withOperator({ field: "a", operator: "in", value: ["x", "y"] }, "equals")).toMatchObject({ value: "x" });
  });

  test("matches the contract after a change from any operator to any other", () => {
    for (const { value: from } of OPERATORS) {
      for (const { value: to } of OPERATORS) {
        const first = withOperator({ ...EMPTY_CONDITION, field: "a" }, from);
        expect(conditionGroupSchema.safeParse(all(withOperator(first, to))).success).toBe(true);
      }
    }
  });
});

describe("a tree of conditions", () => {
  test("indents a member into a new group, or into the group just above", () => {
    expect(indent(all(is("a"), is("b")), [1])).toEqual({ group: all(is("a"), any(is("b"))), at: [1, 0] });
    expect(indent(all(any(is("a")), is("b")), [1])).toEqual({ group: all(any(is("a"), is("b"))), at: [0, 1] });
  });

  test("outdents a member after its group, and removes an empty group", () => {
    expect(outdent(all(any(is("a"), is("b"))), [0, 0])).toEqual({ group: all(any(is("b")), is("a")), at: [1] });
    expect(outdent(all(is("x"), any(is("a"))), [1, 0])).toEqual({ group: all(is("x"), is("a")), at: [1] });
    expect(outdent(all(is("a")), [0])).toBeNull();
  });

  test("adds, replaces and removes members at any level", () => {
    const group = all(is("a"), any(is("b")));
    expect(addMember(group, [1], is("c"))).toEqual({ group: all(is("a"), any(is("b"), is("c"))), at: [1, 1] });
    expect(replaceMember(group, [1, 0], is("z"))).toEqual(all(is("a"), any(is("z"))));
    expect(removeMember(group, [1, 0])).toEqual(all(is("a"), any()));
    expect(removeMember(group, [0])).toEqual(all(any(is("b"))));
  });

  test("is not deeper than saving allows", () => {
    let group = all(is("a"));
    let at: readonly number[] = [0];
    let steps = 0;
    for (let moved = indent(group, at); moved !== null; moved = indent(group, at)) {
      ({ group, at } = moved);
      steps += 1;
      expect(conditionGroupSchema.safeParse(group).success).toBe(true);
    }
    expect(steps).toBe(9);
    expect(canNest(at.slice(0, -1))).toBe(false);
    expect(conditionGroupSchema.safeParse(all(group)).success).toBe(false);
  });
});

describe("problems in a form", () => {
  const problems = [
    { path: "params.env.PATH", message: "takes no template" },
    { path: "params.environment", message: "is required" },
    { path: "retry", message: "is odd" },
  ];

  test("are shown at their field, not at a field with a similar name", () => {
    expect(problemText(problems, "params.env")).toBe("PATH takes no template.");
    expect(problemText(problems, "params.environment")).toBe("Required.");
    expect(problemText(problems, "params.en")).toBeNull();
  });

  test("that no field shows are returned for another place", () => {
    expect(problemsElsewhere(problems, ["params.env", "params.environment"])).toEqual([
      { path: "retry", message: "is odd" },
    ]);
    expect(problemsBelow(problems, "params.env")).toEqual([{ path: "PATH", message: "takes no template" }]);
  });
});

describe("sample data", () => {
  test.each([
    ["webhook", { service: "x" }, "webhook.service"],
    ["manual", { "host name": "x" }, 'inputs["host name"]'],
    ["incident", { other: 1, incident: { title: "x" } }, "incident.title"],
    ["incident", { other: 1 }, null],
    ["webhook", {}, null],
    ["cron", { service: "x" }, null],
  ] as const)("the hint of a run with the trigger %s and %j names %p", (trigger, variables, path) => {
    expect(examplePath(trigger, variables)).toBe(path);
  });

  const definition: Definition = {
    nodes: [{ id: "ask", type: "approval", message: "{{webhook.service}} {{inputs.host.name}} {{incident.tags.env}}" }],
    edges: [],
  };
  const now = Date.parse("2026-01-05T10:00:30Z");
  const triggers: Trigger[] = [
    { type: "webhook" },
    { type: "manual" },
    { type: "manual", inputs: { n: { type: "number" }, s: { type: "string", default: "x" }, b: { type: "boolean" } } },
    { type: "cron", expression: "0 9 * * *" },
    {
      type: "incident",
      events: ["incident.escalated"],
      conditions: all({ field: "severity", operator: "in", value: ["critical"] }, is("tags.team"), any(is("host"))),
    },
  ];

  test.each(triggers)("for the trigger %j is valid and starts the workflow", (trigger) => {
    const sample = sampleOf({ trigger, definition }, null, now);
    expect(sampleProblems(trigger, sample)).toEqual([]);
    expect(sampleStarts(trigger, sampleTrigger(trigger, sample, sample.variables ?? {}, now))).toBe(true);
  });

  test("has the variables that templates use and the defaults of inputs", () => {
    const [webhook, , manual, cron] = triggers.map((trigger) => sampleOf({ trigger, definition }, null, now));
    expect(webhook?.variables).toEqual({
      service: "example",
      host: { name: "example" },
      incident: { tags: { env: "example" } },
    });
    expect(manual?.variables).toEqual({ n: 1, s: "x", b: true });
    expect(cron?.scheduledAt).toBe("2026-01-06T09:00:00.000Z");
  });

  test("is the data of the last execution, if that had any", () => {
    const last = { type: "webhook", variables: { service: "nginx" } } as const;
    expect(sampleOf({ trigger: { type: "webhook" }, definition }, last, now)).toEqual({ variables: last.variables });
    // The last run had the other payload.
    const whole = sampleOf({ trigger: { type: "webhook", payload: "body" }, definition }, last, now);
    expect(whole).not.toEqual({ variables: last.variables });
    const guessed = { variables: sampleVariables(definition) };
    for (const type of ["webhook", "manual"] as const) {
      expect(sampleOf({ trigger: { type }, definition }, { type: "webhook", variables: {} }, now)).toEqual(guessed);
    }
  });
});

test.each([
  [5, 5, "seconds"],
  [60, 1, "minutes"],
  [90, 90, "seconds"],
  [5_400, 90, "minutes"],
  [172_800, 2, "days"],
] as const)("a duration of %i seconds is shown as %i %s", (seconds, amount, unit) => {
  expect(splitSeconds(seconds)).toEqual({ amount, unit });
  expect(toSeconds(amount, unit)).toBe(seconds);
});
