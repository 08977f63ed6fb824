import { describe, expect, test } from "bun:test";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import { Engine, action, edges } from "./engine.ts";

describe("what templates of a node find", () => {
  const cases: readonly [trigger: ExecutionTrigger, template: string, expected: string][] = [
    [{ type: "webhook", variables: { a: { b: [1, { c: "deep" }] } } }, "{{webhook.a.b.1.c}}", "deep"],
    [{ type: "webhook", variables: { a: 1 } }, "{{inputs.a}}", "1"],
    [{ type: "manual", variables: { a: true }, by: null }, "{{inputs.a}}", "true"],
    [{ type: "manual", variables: { a: null }, by: null }, "<{{webhook.a}}>", "<>"],
    [{ type: "manual", variables: { incident: { id: "inc_1" } }, by: null }, "{{incident.id}}", "inc_1"],
    [{ type: "incident", incident: { tags: { dc: "x" } } }, "{{incident.tags.dc}}", "x"],
    [{ type: "cron", scheduledAt: "2026-11-21T00:00:00.000Z" }, "{{cron.scheduledAt}}", "2026-11-21T00:00:00.000Z"],
    [{ type: "manual", variables: {}, by: null }, "{{cron.scheduledAt}}", "2027-01-15T08:00:00.000Z"],
    [{ type: "workflow", variables: { a: "x" }, parentExecutionId: "exe_0" }, "{{inputs.a}}", "x"],
    [{ type: "webhook", variables: {} }, "{{webhook.__proto__}}{{webhook.constructor.name}}{{webhook.toString}}", ""],
    [
      { type: "webhook", variables: { a: [1, 2], s: "abc" } },
      "{{webhook.a.length}}{{webhook.s.length}}{{webhook.s.0}}{{webhook.a.-1}}{{webhook.a.01}}",
      "",
    ],
    [{ type: "webhook", variables: { A: "upper" } }, "{{webhook.a}}{{Webhook.A}}", ""],
    [{ type: "webhook", variables: { o: { x: 1 } } }, "{{webhook.o}}", '{"x":1}'],
  ];
  test.each([...cases])("%j: %s", (trigger, template, expected) => {
    const engine = Engine.start([action("a", { params: { script: "true", env: { X: template } } })], [], { trigger });
    expect(engine.order("a").values).toEqual({ X: expected });
  });

  test("outputs, status and exit code of nodes before", () => {
    const env = {
      O: "{{nodes.a.output.stdout}}",
      S: "{{nodes.a.status}}",
      E: "{{nodes.a.exitCode}}",
      N: "{{nodes.c.output}}",
    };
    const engine = Engine.start(
      [action("a"), action("c"), action("b", { params: { script: "true", env } })],
      edges("a -> b", "a -failure-> c", "c -> b"),
    );
    engine.end("a", { output: { stdout: "out", exitCode: 0 } });
    expect(engine.order("b").values).toEqual({ O: "out", S: "succeeded", E: "0", N: "" });
  });
});

test("a tag whose name holds dots is found by its whole name", () => {
  const incident = { tags: { "ce.type": "alert", a: "b", "app.kubernetes.io/name": "shop" } };
  const env = {
    A: "{{incident.tags.ce.type}}",
    B: "{{incident.tags.a}}",
    C: "{{incident.tags.app.kubernetes.io/name}}",
  };
  const engine = Engine.start([action("x", { params: { script: "true", env } })], [], {
    trigger: { type: "incident", incident },
  });
  expect(engine.orders[0]?.values).toMatchObject({ A: "alert", B: "b", C: "shop" });
});
