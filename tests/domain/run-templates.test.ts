import { describe, expect, test } from "bun:test";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { STEP_RENDERED_MAX_BYTES } from "../../schema/limits.ts";
import { Engine, action, edges } from "./engine.ts";

describe("templates of a node", () => {
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

  test("see output, status and exit code of earlier nodes", () => {
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

test("a tag with dots in its name is found by its whole name", () => {
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

describe("a template with a path below a text adds a warning to its node run", () => {
  const trigger: ExecutionTrigger = {
    type: "webhook",
    variables: { host: "web-1", n: 3, ok: false, none: null, list: [1], json: '{"name": "x"}', deep: { text: "t" } },
  };
  const reads = (id: string, ...templates: string[]) => ({ id, type: "approval", message: templates.join(" ") });
  const hostWarning = "{{webhook.host.name}}: webhook.host is text and has nothing called name, so the value is empty.";

  test.each([
    ["{{webhook.host.name}}", hostWarning],
    ["{{ webhook.host.name.0 }}", hostWarning.replace("host.name}}", "host.name.0}}")],
    ["{{webhook.n.a}}", "{{webhook.n.a}}: webhook.n is a number and has nothing called a, so the value is empty."],
    ["{{webhook.ok.a}}", "{{webhook.ok.a}}: webhook.ok is false and has nothing called a, so the value is empty."],
    [
      "{{webhook.json.name}}",
      "{{webhook.json.name}}: webhook.json is text and has nothing called name, so the value is empty.",
    ],
    [
      "{{webhook.deep.text.a}}",
      "{{webhook.deep.text.a}}: webhook.deep.text is text and has nothing called a, so the value is empty.",
    ],
    ["{{webhook.host}}", null],
    ["{{webhook.other}}", null],
    ["{{webhook.other.name}}", null],
    ["{{webhook.none.name}}", null],
    ["{{webhook.list.name}}", null],
    ["{{webhook.deep.other}}", null],
    ["{{nothing.at.all}}", null],
  ])("%s", (template, warning) => {
    const engine = Engine.start([reads("a", template)], [], { trigger });
    expect(engine.run("a").warnings).toEqual(warning === null ? null : [warning]);
    expect(engine.run("a").output).toEqual({ message: template === "{{webhook.host}}" ? "web-1" : "" });
  });

  test("for a tag that is text, and for the json of a stdout that is not JSON", () => {
    const incident = { tags: { app: "shop", "ce.type": "alert" } };
    const tags = Engine.start([reads("a", "{{incident.tags.app.name}}", "{{incident.tags.ce.type}}")], [], {
      trigger: { type: "incident", incident },
    });
    expect(tags.run("a").warnings).toEqual([
      "{{incident.tags.app.name}}: incident.tags.app is text and has nothing called name, so the value is empty.",
    ]);
    const engine = Engine.start(
      [action("s"), reads("b", "{{nodes.s.output.json.items}}", "{{nodes.s.output.json}}", "{{nodes.s.output.code}}")],
      edges("s -> b"),
    );
    engine.end("s", { output: { stdout: "three items", exitCode: 0 } });
    const reason = "nodes.s.output.stdout is not one whole JSON value, so the value is empty.";
    expect(engine.run("b").warnings).toEqual([
      `{{nodes.s.output.json.items}}: ${reason}`,
      `{{nodes.s.output.json}}: ${reason}`,
    ]);
  });

  test("in a condition, an approval, the items of a forEach, its body and a sub-workflow's variables", () => {
    const path = "{{webhook.host.name}}";
    const of = (nodeId: string, node: JsonObject) =>
      Engine.start([{ id: nodeId, ...node }], [], { trigger }).run(nodeId).warnings;
    const condition = { field: "webhook.host.name", operator: "exists" };
    expect(of("a", { type: "condition", when: { logic: "all", conditions: [condition] } })).toEqual([hostWarning]);
    expect(of("a", { type: "approval", message: `Restart ${path}?` })).toEqual([hostWarning]);
    expect(of("a", { type: "workflow", workflowId: "child", variables: { x: path } })).toEqual([hostWarning]);
    const loop = { type: "forEach", items: path, body: { nodes: [action("in")], edges: [] } };
    expect(of("a", loop)).toEqual([hostWarning]);
    const body = { nodes: [reads("in", "{{foreach.item.name}}")], edges: [] };
    const engine = Engine.start([{ id: "loop", type: "forEach", items: '["x"]', body }], [], { trigger });
    expect(engine.run("in").warnings).toEqual([
      "{{foreach.item.name}}: foreach.item is text and has nothing called name, so the value is empty.",
    ]);
    expect(engine.run("loop").warnings).toBeNull();
  });

  test("only once, also when the node is tried again", () => {
    const env = { X: "{{webhook.host.name}}", Y: "{{webhook.host.name}} again" };
    const retry = { maxAttempts: 2, backoffSeconds: 1 };
    const node = action("a", { params: { script: "true", env }, retry });
    const engine = Engine.start([node], [], { trigger });
    engine.fail("a");
    engine.wake(1_000);
    expect(engine.run("a")).toMatchObject({ attempt: 2, status: "running", warnings: [hostWarning] });
    engine.end("a");
    expect(engine.run("a")).toMatchObject({ status: "succeeded", warnings: [hostWarning] });
  });

  test("at most 20 times, with 300 characters each", () => {
    const many = Array.from({ length: 30 }, (_, index) => `{{webhook.host.n${index}}}`);
    const long = `{{webhook.host.${"😀".repeat(200)}}}`;
    const warnings = Engine.start([reads("a", long, ...many)], [], { trigger }).run("a").warnings ?? [];
    expect(warnings).toHaveLength(20);
    expect(warnings[0]).toHaveLength(300);
    expect(warnings[0]?.isWellFormed()).toBe(true);
  });
});

test("the warnings of 100 iterations in one step are bounded, and all iterations begin", () => {
  const templates = Array.from({ length: 20 }, (_, index) => `{{foreach.item.${"n".repeat(250)}${index}}}`).join("");
  const check = (id: string) => ({
    id,
    type: "condition",
    when: { logic: "all", conditions: [{ field: "webhook.x", operator: "equals", value: templates }] },
  });
  const body = { nodes: Array.from({ length: 50 }, (_, index) => check(`c${index}`)), edges: [] };
  const loop = { id: "loop", type: "forEach", items: "{{webhook.items}}", concurrency: 100, body };
  const items = Array.from({ length: 100 }, () => "text");
  const engine = Engine.start([loop], [], { trigger: { type: "webhook", variables: { items } } });
  const chars = engine.state.nodeRuns.flatMap(({ warnings }) => warnings ?? []).join("").length;
  expect(chars).toBeGreaterThan(1_000_000);
  expect(chars).toBeLessThan(STEP_RENDERED_MAX_BYTES + 1_000);
  expect(engine.state.status).toBe("succeeded");
});
