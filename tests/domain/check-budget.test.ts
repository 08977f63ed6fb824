import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Definition, Trigger } from "../../schema/contract/workflow.ts";
import { checkTrigger } from "../../worker/domain/check-trigger.ts";
import { dryRun } from "../../worker/domain/dry-run/index.ts";
import { sampleStarts, sampleTrigger } from "../../worker/domain/dry-run/sample.ts";
import { checkDefinition } from "../../worker/domain/graph/check-definition.ts";
import { patternProblem } from "../../worker/domain/pattern.ts";
import { Steps, TooComplex } from "../../worker/domain/steps.ts";
import { LOOKUP, action, define } from "./engine.ts";

const WEBHOOK: Trigger = { type: "webhook" };

function checked(definition: Definition, steps: Steps): number {
  checkDefinition(definition, [WEBHOOK], LOOKUP, steps);
  return steps.spent;
}

const script = (text: string) => action("a", { params: { script: text } });
const request = (params: JsonObject) => action("a", { action: "http.request", connectionId: "api", params });
const condition = (operator: string, value: string) => ({
  id: "a",
  type: "condition",
  when: { logic: "all", conditions: [{ field: "webhook.text", operator, value }] },
});

/** A definition that grows with `n`. */
const GROWING: Record<string, (n: number) => JsonObject> = {
  "lines of a script": (n) => script("echo\n".repeat(n)),
  "templates in a script": (n) => script("{{webhook.a}} ".repeat(n)),
  "templates in a script that cannot be there": (n) => script("$(({{webhook.a}}))\n".repeat(n)),
  "templates in data": (n) => request({ body: "{{webhook.a}} ".repeat(n) }),
  "templates in a list": (n) => request({ body: Array.from({ length: n }, () => "{{webhook.a}}") }),
  "braces that are no templates": (n) => request({ body: Array.from({ length: n }, () => "{{a b}}") }),
  "names with templates": (n) =>
    request({ body: Object.fromEntries(Array.from({ length: n }, (_, i) => [`{{a}}${i}`, 1])) }),
  "filters and their arguments": (n) => script(`{{webhook.a | oneOf:${'"a",'.repeat(n)}"b"}}`),
  "a pattern": (n) => condition("matches", "a".repeat(n / 10)),
  "a pattern's repeats": (n) => condition("matches", `(?:ab){${n / 10}}`),
  "a wide class of a pattern": (n) => condition("matches", `(?i)[${"\\pL".repeat(n / 100)}]`),
};

describe("an input of twice the size costs 1.5 to 2.2 times the steps", () => {
  test.each(Object.keys(GROWING))("%s", (name) => {
    const spent = (n: number) => {
      const node = GROWING[name]?.(n);
      return checked(define(node === undefined ? [] : [node]), new Steps(Infinity));
    };
    const ratio = spent(2_000) / spent(1_000);
    expect(ratio).toBeLessThan(2.2);
    expect(ratio).toBeGreaterThan(1.5);
  });
});

describe("one budget covers", () => {
  test("all nodes together, also those inside a forEach", () => {
    const node = (id: string) => action(id, { params: { script: "echo {{webhook.a}}\n".repeat(100) } });
    const alone = checked(define([node("a")]), new Steps(Infinity));
    const body = { nodes: [node("b"), node("c")], edges: [] };
    const all = define([node("a"), { id: "f", type: "forEach", items: "[]", body }]);
    expect(checked(all, new Steps(3 * alone))).toBeCloseTo(3 * alone, -1);
    expect(() => checked(all, new Steps(3 * alone - 1))).toThrow(TooComplex);
  });

  test("every trigger of the workflow, and a reference is read once for all of them", () => {
    const definition = define([script("{{webhook.a}} ".repeat(1_000))]);
    const steps = new Steps(Infinity);
    checkDefinition(
      definition,
      [WEBHOOK, { type: "manual" }, { type: "cron", expression: "* * * * *" }],
      LOOKUP,
      steps,
    );
    expect(steps.spent).toBe(checked(definition, new Steps(Infinity)));
  });

  test("the patterns of an incident trigger", () => {
    const conditions = Array.from({ length: 100 }, (_, i) => ({
      field: "title",
      operator: "matches" as const,
      value: "a".repeat(400) + String(i),
    }));
    const trigger: Trigger = {
      type: "incident",
      events: ["incident.created"],
      conditions: { logic: "all", conditions },
    };
    expect(() => checkTrigger(trigger, new Steps())).toThrow(TooComplex);
  });
});

describe("a dry run is refused before it", () => {
  const text = "x".repeat(900_000);

  test("fills in a long value at thousands of places", () => {
    const nodes = Array.from({ length: 100 }, (_, i) => ({ ...request({ body: "{{webhook.text}} " }), id: `n${i}` }));
    const trigger = { type: "webhook" as const, variables: { text } };
    expect(() => dryRun(define(nodes), { trigger, nodes: {} })).toThrow(TooComplex);
    expect(dryRun(define(nodes.slice(0, 2)), { trigger, nodes: {} })).toHaveLength(2);
  });

  test("searches a long text for a pattern", () => {
    const trigger = { type: "webhook" as const, variables: { text } };
    const pattern = "(?:[a-z]?){150}\\d";
    expect(() => dryRun(define([condition("matches", pattern)]), { trigger, nodes: {} })).toThrow(TooComplex);
    const [short] = dryRun(define([condition("matches", "\\d$")]), { trigger, nodes: {} });
    expect(short?.condition).toEqual({ holds: false });
  });

  test("compares an incident's long title with a trigger's pattern", () => {
    const conditions = [{ field: "title", operator: "matches" as const, value: "(?:[a-z]?){150}\\d" }];
    const trigger: Trigger = {
      type: "incident",
      events: ["incident.created"],
      conditions: { logic: "all", conditions },
    };
    const data = (title: string) => sampleTrigger(trigger, { incident: { title } }, {}, 0);
    expect(() => sampleStarts(trigger, data(text))).toThrow(TooComplex);
    expect(sampleStarts(trigger, data("x1"))).toBe(true);
  });
});

describe("a pattern", () => {
  test.each([
    ["many repeats", "a{1000}".repeat(500)],
    ["repeats of repeats", "(?:(?:ab){100}){100}"],
  ])("that becomes long when its repeats are expanded is refused: %s", (_, pattern) =>
    expect(patternProblem(pattern)).not.toBeNull(),
  );

  test.each(["\\x{10000}", "[{1000}]{9}", "\\{9000}", "(?:a|b){0,99}", "[[:alpha:]]{200}", "a{2,}"])(
    "with braces that are not a long repeat is accepted: %s",
    (pattern) => expect(patternProblem(pattern)).toBeNull(),
  );
});
