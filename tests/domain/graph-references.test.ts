import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Edge, Trigger } from "../../schema/contract/workflow.ts";
import { action, define, edges, problemsOf } from "./engine.ts";

const paths = (nodes: readonly JsonObject[], graphEdges: readonly Edge[] = [], trigger?: Trigger) =>
  problemsOf(define(nodes, graphEdges), trigger).map(({ path }) => path);

describe("the names that templates may use", () => {
  const reading = (template: string) => action("b", { params: { script: "true", env: { X: template } } });
  const graph: [JsonObject[], Edge[]] = [[action("a"), action("other")], edges("a -> b", "b -> after")];
  test.each([
    ["{{nodes.a.output.stdout}}", null],
    ["{{nodes.a.status}}", null],
    ["{{nodes.missing.output}}", "there is no step missing"],
    ["{{nodes.other.output}}", "does not run before this step"],
    ["{{nodes.after.output}}", "does not run before this step"],
    ["{{nodes.b.output}}", "its own result"],
    ["{{nodes.a}}", "output, status, exitCode"],
    ["{{nodes.a.outputs.x}}", "output, status, exitCode"],
    ["{{nodes}}", "there is no step"],
    ["{{error.message}}", "only after an error handler"],
    ["{{foreach.item}}", "inside a For each step"],
    ["{{incident.id}}", "a workflow with a webhook trigger has no incident: use webhook, inputs or nodes"],
    ["{{Webhook.id}}", "has no Webhook"],
    ["{{secrets.x}}", "has no secrets"],
  ])("%s has the problem %p", (template, message) => {
    const problems = problemsOf(define([...graph[0], reading(template), action("after")], graph[1]));
    if (message === null) expect(problems).toEqual([]);
    else expect(problems).toMatchObject([{ path: "nodes.2.params.env.X", message: expect.stringContaining(message) }]);
  });

  test.each([
    ["{{failed}}", null],
    ["{{failed.workflow}}", null],
    ["{{failed.workflow.tags.0}}", null],
    ["{{failed.error.message}}", null],
    ["{{failed.incident.tags.app.kubernetes.io/name}}", null],
    ["{{failed.message}}", "failed has executionId, key, workflow.id, "],
    ["{{failed.workflow.owner}}", "failed has executionId, key, workflow.id, "],
    ["{{failed.incident.batch}}", "failed.incident has severity, "],
    ["{{failed.error.message.x}}", "failed.error.message is text and has nothing below it"],
    ["{{failed.status.x}}", "failed.status is text and has nothing below it"],
    ["{{failed.incident.title.x}}", "failed.incident.title is text and has nothing below it"],
    ["{{incident.title}}", "a failure workflow has no incident: use failed or nodes"],
    ["{{webhook.x}}", "a failure workflow has no webhook: use failed or nodes"],
  ])("of a failure workflow: %s has the problem %p", (template, message) => {
    const problems = problemsOf(define([reading(template)], []), { type: "failure" });
    if (message === null) expect(problems).toEqual([]);
    else expect(problems).toMatchObject([{ path: "nodes.0.params.env.X", message: expect.stringContaining(message) }]);
  });

  test("templates in a forEach see its body, earlier nodes and foreach, but not the forEach itself", () => {
    const inside = (template: string) => [
      action("before"),
      {
        id: "loop",
        type: "forEach",
        items: "{{nodes.before.output.json.list}}",
        body: { nodes: [action("first"), reading(template)], edges: edges("first -> b") },
      },
      action("later"),
    ];
    const problem = (template: string) =>
      problemsOf(define(inside(template), edges("before -> loop", "loop -> later"))).map(({ message }) => message);
    for (const known of ["nodes.first.output", "nodes.before.status", "foreach.item.a", "foreach.index", "webhook.x"]) {
      expect(problem(`{{${known}}}`)).toEqual([]);
    }
    expect(problem("{{nodes.loop.output}}")).toEqual([expect.stringContaining("only after its steps have ended")]);
    expect(problem("{{nodes.later.output}}")).toEqual([expect.stringContaining("does not run before this step")]);
    expect(problem("{{foreach.nonsense}}")).toEqual([expect.stringContaining("foreach has item, index, total")]);
    expect(problem("{{foreach.parent.item}}")).toEqual([expect.stringContaining("there is no For each around")]);
    expect(problem("{{error.message}}")).toEqual([expect.stringContaining("only after an error handler")]);
  });

  test("a template outside a forEach sees no node of its body", () => {
    const nodes = [
      { id: "loop", type: "forEach", items: "{{webhook.x}}", body: { nodes: [action("in")], edges: [] } },
      reading("{{nodes.in.output}}"),
    ];
    expect(problemsOf(define(nodes, edges("loop -> b")))).toEqual([
      { path: "nodes.1.params.env.X", message: expect.stringContaining("there is no step in") },
    ]);
  });

  test("a forEach on a failure edge lets its body name the failure", () => {
    const loop = {
      id: "loop",
      type: "forEach",
      items: "{{webhook.x}}",
      body: { nodes: [reading("{{error.message}}")], edges: [] },
    };
    expect(paths([action("a"), loop], edges("a -failure-> loop"))).toEqual([]);
  });

  test.each([
    ["webhook", ["webhook", "inputs"]],
    ["manual", ["webhook", "inputs"]],
    ["incident", ["incident"]],
    ["cron", ["cron"]],
  ] as const)("the trigger %s provides %j", (type, roots) => {
    const trigger: Trigger =
      type === "cron"
        ? { type, expression: "* * * * *" }
        : type === "incident"
          ? { type, events: ["incident.created"] }
          : { type };
    for (const root of ["webhook", "inputs", "incident", "cron"] as const) {
      const field = root === "cron" ? "scheduledAt" : "id";
      const known = roots.some((name) => name === root);
      expect(paths([reading(`{{${root}.${field}}}`)], [], trigger)).toEqual(known ? [] : ["nodes.0.params.env.X"]);
    }
  });

  test.each([
    ["incident.title", true],
    ["incident.source", true],
    ["incident.eventType", true],
    ["incident.tags.anything.at/all", true],
    ["incident", true],
    ["incident.titel", false],
    ["incident.dedupKey", false],
  ])("the path %s below a trigger's incident is accepted: %p", (path, known) => {
    const trigger: Trigger = { type: "incident", events: ["incident.created"] };
    const problems = problemsOf(define([reading(`{{${path}}}`)]), trigger);
    expect(problems.map(({ message }) => message)).toEqual(
      known ? [] : [expect.stringMatching(/an incident has severity, .*title.* and tags\.<key>/u)],
    );
  });

  test("a template may use only the inputs that a manual trigger declares, or any input if it declares none", () => {
    const trigger: Trigger = { type: "manual", inputs: { service: { type: "string" }, count: { type: "number" } } };
    expect(paths([reading("{{inputs.service}} {{inputs.count}} {{inputs}} {{webhook.servcie}}")], [], trigger)).toEqual(
      [],
    );
    expect(problemsOf(define([reading("{{inputs.servcie}}")]), trigger)).toMatchObject([
      { path: "nodes.0.params.env.X", message: "{{inputs.servcie}}: the trigger declares service, count, not servcie" },
    ]);
    expect(paths([reading("{{inputs.servcie}}")], [], { type: "manual" })).toEqual([]);
    expect(paths([reading("{{inputs.a}}")], [], { type: "manual", inputs: {} })).toEqual(["nodes.0.params.env.X"]);
  });

  test("behind a failure edge, templates see error and only its own fields", () => {
    const nodes = (template: string) => [action("a"), action("mid"), reading(template)];
    const all = edges("a -failure-> mid", "mid -> b");
    expect(paths(nodes("{{error.output.stderr}}"), all)).toEqual([]);
    expect(paths(nodes("{{error.nonsense}}"), all)).toEqual(["nodes.2.params.env.X"]);
    expect(paths(nodes("{{error}}"), all)).toEqual(["nodes.2.params.env.X"]);
  });
});

describe("a path below a text or a number is refused, because its value would always be empty", () => {
  const triggers: Readonly<Record<string, Trigger>> = {
    incident: { type: "incident", events: ["incident.created"] },
    cron: { type: "cron", expression: "* * * * *" },
    inputs: {
      type: "manual",
      inputs: { host: { type: "string" }, n: { type: "number" }, o: { type: "object" }, l: { type: "array" } },
    },
  };
  const child = { id: "sub", type: "workflow", workflowId: "child" };
  const request = action("get", { action: "http.request", connectionId: "http", params: { path: "/" } });
  const list = { id: "list", type: "forEach", items: "[1]", body: { nodes: [action("in")], edges: [] } };
  const ask = { id: "ask", type: "approval", message: "Go on?" };
  const problemsOfPath = (path: string) => {
    const last = action("last", { params: { script: "true", env: { X: `{{${path}}}` } } });
    const loop = { id: "loop", type: "forEach", items: "[1]", body: { nodes: [last], edges: [] } };
    const outer = { id: "outer", type: "forEach", items: "[1]", body: { nodes: [loop], edges: [] } };
    const nodes = [action("s"), request, list, child, ask, outer];
    const chain = edges("s -> get", "get -> list", "list -> sub", "sub -failure-> ask", "ask -approved-> outer");
    return problemsOf(define(nodes, chain), triggers[path.split(".")[0] ?? ""]);
  };

  test.each([
    ["nodes.s.status.foo", "nodes.s.status is text"],
    ["nodes.s.exitCode.foo", "nodes.s.exitCode is a number"],
    ["nodes.s.output.stdout.foo.bar", "nodes.s.output.json.foo.bar"],
    ["nodes.s.output.stderr.foo", "nodes.s.output.stderr is text"],
    ["nodes.s.output.exitCode.0", "nodes.s.output.exitCode is a number"],
    ["nodes.get.output.statusCode.foo", "nodes.get.output.statusCode is a number"],
    ["nodes.list.status.foo", "nodes.list.status is text"],
    ["error.message.foo", "error.message is text"],
    ["error.statusCode.foo", "error.statusCode is a number"],
    ["error.output.stdout.foo", "error.output.json.foo"],
    ["foreach.index.foo", "foreach.index is a number"],
    ["foreach.parent.total.foo", "foreach.parent.total is a number"],
    ["incident.title.foo", "incident.title is text"],
    ["incident.createdAt.foo", "incident.createdAt is text"],
    ["cron.scheduledAt.foo", "cron.scheduledAt is text"],
    ["inputs.host.name", "inputs.host is text"],
    ["inputs.n.name", "inputs.n is a number"],
    ["nodes.s.output.foo", "script.bash gives stdout, stderr, exitCode, truncated, droppedBytes, json, not foo"],
    [
      "nodes.get.output.json",
      "http.request gives statusCode, body, truncated, droppedBytes, headers, bodyEncoding, url, not json",
    ],
  ])("{{%s}}", (path, message) => {
    expect(problemsOfPath(path)).toEqual([
      {
        path: "nodes.5.body.nodes.0.body.nodes.0.params.env.X",
        message: expect.stringContaining(message),
      },
    ]);
  });

  test.each([
    ["nodes.s.output.json.foo.0.bar"],
    ["nodes.s.output.truncated"],
    ["nodes.s.output.droppedBytes"],
    ["nodes.get.output.body.stdout.foo"],
    ["nodes.get.output.headers.status.foo"],
    ["nodes.list.output.results.0.outputs.in.anything.foo"],
    ["nodes.sub.output.outputs.anything.foo"],
    ["nodes.ask.output.decision"],
    ["error.output.anything.foo"],
    ["foreach.item.foo.bar"],
    ["foreach.parent.item.foo"],
    ["webhook.host.name"],
    ["incident.tags.ce.type"],
    ["inputs.o.foo"],
    ["inputs.l.0"],
  ])("{{%s}} has a value, and is accepted", (path) => {
    expect(problemsOfPath(path)).toEqual([]);
  });
});

test("a chain of 500 nodes that all refer to earlier ones is checked in less than quadratic time", () => {
  const nodes = Array.from({ length: 500 }, (_, index) =>
    action(`n${index}`, {
      params: { script: index === 0 ? "true" : `echo {{nodes.n0.output}} {{nodes.n${index - 1}.status}}` },
    }),
  );
  const chain = edges(...nodes.slice(1).map((_, index) => `n${index} -> n${index + 1}`));
  expect(problemsOf(define(nodes, chain))).toEqual([]);
});
