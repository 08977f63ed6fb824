import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Edge, Trigger } from "../../schema/contract/workflow.ts";
import { action, define, edges, problemsOf } from "./engine.ts";

const paths = (nodes: readonly JsonObject[], graphEdges: readonly Edge[] = [], trigger?: Trigger) =>
  problemsOf(define(nodes, graphEdges), trigger).map(({ path }) => path);

test("a workflow that uses every feature has no problems", () => {
  const nodes = [
    action("look", { params: { script: 'echo {{webhook.host}} "{{inputs.service}}"' } }),
    action("call", {
      action: "http.request",
      connectionId: "http",
      params: {
        method: "{{webhook.method}}",
        path: "/x/{{nodes.look.output.stdout}}",
        query: "{{webhook.query}}",
        headers: { A: "{{nodes.look.exitCode}}" },
        expectStatus: "{{webhook.status}}",
        body: '{"a": {{webhook.a}}}',
      },
    }),
    { id: "wait", type: "delay", seconds: 5 },
    {
      id: "which",
      type: "condition",
      when: {
        logic: "any",
        conditions: [{ field: "nodes.call.output.statusCode", operator: "equals", value: "{{webhook.wanted}}" }],
      },
    },
    action("yes", {
      action: "ssh.executeScript",
      connectionId: "ssh",
      params: { script: "print('{{nodes.look.status}}')", interpreter: "python3" },
    }),
    action("no", { params: { script: "echo {{error.message}}" } }),
    { id: "h", type: "errorHandler" },
    action("notify", { params: { script: "echo {{error.nodeId}} {{error.output.stderr}} {{nodes.yes.status}}" } }),
  ];
  const all = edges(
    "look -> call",
    "call -> wait",
    "call -failure-> no",
    "wait -> which",
    "which -true-> yes",
    "h -> notify",
  );
  expect(problemsOf(define(nodes, all))).toEqual([]);
});

describe("a graph is refused for", () => {
  const cases: readonly [
    what: string,
    nodes: JsonObject[],
    edges: Edge[],
    problems: [path: string, message: string][],
  ][] = [
    ["two nodes of one id", [action("a"), action("a")], [], [["nodes.1.id", "another step has this id"]]],
    ["an edge from nowhere", [action("a")], edges("x -> a"), [["edges.0.from", "no step x"]]],
    ["an edge to nowhere", [action("a")], edges("a -> x"), [["edges.0.to", "no step x"]]],
    ["an edge to itself", [action("a"), action("b")], edges("b -> b"), [["edges.0", "itself"]]],
    ["the same edge twice", [action("a"), action("b")], edges("a -> b", "a -> b"), [["edges.1", "there twice"]]],
    ["a foreign outcome", [action("a"), action("b")], edges("a -true-> b"), [["edges.0.on", "success or failure"]]],
    [
      "a cycle, with the names of its nodes",
      [action("s"), action("a"), action("b")],
      edges("s -> a", "a -> b", "b -> a"),
      [["edges.2", "a → b → a"]],
    ],
    [
      "a cycle without entry, and the nodes behind it",
      [action("s"), action("a"), action("b"), action("c")],
      edges("a -> b", "b -> a", "b -> c"),
      [
        ["edges.1", "a → b → a"],
        ["nodes.3", "c cannot be reached"],
      ],
    ],
    [
      "two cycles",
      [action("a"), action("b"), action("c"), action("d")],
      edges("a -> b", "b -> a", "c -> d", "d -> c"),
      [
        ["edges.1", "a → b → a"],
        ["edges.3", "c → d → c"],
      ],
    ],
    [
      "an errorHandler entered by success",
      [action("a"), { id: "h", type: "errorHandler" }],
      edges("a -> h"),
      [["edges.0.on", "only failure edges"]],
    ],
    [
      "an errorHandler left by failure",
      [action("a"), { id: "h", type: "errorHandler" }, action("b")],
      edges("h -failure-> b"),
      [["edges.0.on", "h ends with success, not with failure"]],
    ],
    [
      "two errorHandlers for the whole workflow",
      [action("a"), { id: "h", type: "errorHandler" }, { id: "i", type: "errorHandler" }],
      [],
      [["nodes.2", "h already handles the failures of all steps here"]],
    ],
    [
      "a condition without a rule",
      [{ id: "c", type: "condition", when: { logic: "any", conditions: [] } }],
      [],
      [["nodes.0.when.conditions", "needs at least one condition"]],
    ],
    ["no node that can start", [{ id: "h", type: "errorHandler" }], [], [["nodes", "no step can start"]]],
    [
      "a missing workflow, but not for existing ones",
      [
        { id: "c", type: "workflow", workflowId: "child", variables: { a: "{{webhook.x}}" } },
        { id: "w", type: "workflow", workflowId: "gone" },
        { id: "v", type: "workflow", workflowId: "child", variables: { a: { b: "{{.x}}" } } },
      ],
      [],
      [
        ["nodes.1.workflowId", "no workflow gone"],
        ["nodes.2.variables.a.b", "not a template"],
      ],
    ],
    [
      "problems inside a forEach, at any depth, with their whole path",
      [
        {
          id: "f",
          type: "forEach",
          items: "{{webhook.x}}",
          body: {
            nodes: [
              action("a", { connectionId: "gone" }),
              {
                id: "g",
                type: "forEach",
                items: "{{foreach.item}}",
                body: { nodes: [action("a"), action("b")], edges: edges("b -true-> a", "a -> f") },
              },
            ],
            edges: [],
          },
        },
      ],
      [],
      [
        ["nodes.0.body.nodes.1.body.nodes.0.id", "another step has this id"],
        ["nodes.0.body.nodes.0.connectionId", "no connection"],
        ["nodes.0.body.nodes.1.body.edges.0.on", "ends with"],
        ["nodes.0.body.nodes.1.body.edges.1.to", "no step f"],
      ],
    ],
    [
      "items that cannot be a list",
      [
        { id: "f", type: "forEach", items: "hosts", body: { nodes: [action("a")], edges: [] } },
        { id: "g", type: "forEach", items: "{{webhook.a}} {{webhook.b}}", body: { nodes: [action("b")], edges: [] } },
        { id: "h", type: "forEach", items: '["x", "{{webhook.a}}"]', body: { nodes: [action("c")], edges: [] } },
      ],
      [],
      [
        ["nodes.0.items", "one template that gives a list"],
        ["nodes.1.items", "one template that gives a list"],
      ],
    ],
    [
      "too many nodes inside forEach bodies",
      [
        {
          id: "f",
          type: "forEach",
          items: "{{webhook.x}}",
          body: { nodes: Array.from({ length: 500 }, (_, i) => action(`n${i}`)), edges: [] },
        },
      ],
      [],
      [["nodes", "501 steps"]],
    ],
  ];
  test.each([...cases])("%s", (_, nodes, graphEdges, expected) => {
    const problems = problemsOf(define(nodes, graphEdges));
    expect(problems.map(({ path }) => path)).toEqual(expected.map(([path]) => path));
    for (const [index, [, message]] of expected.entries()) expect(problems[index]?.message).toContain(message);
  });

  test("several problems, all reported together", () => {
    const nodes = [
      action("a", { connectionId: "gone", params: { script: " ", extra: 1 } }),
      action("a", { params: { script: "{{nodes.zzz.output}}" } }),
    ];
    expect(paths(nodes, edges("a -true-> x"))).toEqual([
      "nodes.1.id",
      "edges.0.on",
      "edges.0.to",
      "nodes.0.connectionId",
      "nodes.0.params.extra",
      "nodes.0.params.script",
      "nodes.1.params.script",
    ]);
  });
});

describe("connections", () => {
  test.each([
    [{ connectionId: "gone" }, "connectionId", "no connection"],
    [{ connectionId: "disabled" }, "connectionId", "disabled"],
    [{ connectionId: "unassigned" }, "connectionId", "neither an agent nor a pool"],
    [{ connectionId: "http" }, "connectionId", "type HTTP"],
    [
      { action: "notification.sendNotification", params: { channel: "email", to: "a@example.com", message: "b" } },
      "connectionId",
      "runs on one of type Notification",
    ],
  ])("an action with %j is refused at %s: %s", (more, field, message) => {
    expect(problemsOf(define([action("a", more)]))).toEqual([
      { path: `nodes.0.${field}`, message: expect.stringContaining(message) },
    ]);
  });

  test("an action without a connection is refused", () => {
    const { connectionId: _, ...node } = action("a");
    expect(paths([node])).toEqual(["nodes.0.connectionId"]);
  });
});

describe("parameters", () => {
  test.each([
    ["script.bash", { script: "" }, ["script"]],
    ["script.bash", { script: " \n" }, ["script"]],
    ["script.bash", {}, ["script"]],
    ["script.bash", { script: 5 }, ["script"]],
    ["script.bash", { script: "echo $(({{webhook.x}}))" }, ["script"]],
    ["script.bash", { script: "echo {{webhook.x" }, ["script"]],
    ["script.bash", { script: "true", env: { A: "{{.x}}" } }, ["env.A"]],
    ["script.bash", { script: "true", env: { "{{webhook.x}}": "a" } }, ["env.{{webhook.x}}"]],
    ["script.bash", { script: "true", env: "{{webhook.env}}" }, ["env"]],
    ["script.python", { script: "x = f'{{webhook.x}}'" }, ["script"]],
  ])("%s with %j has problems at %j", (name, params, expected) => {
    const found = paths([action("a", { action: name, params })]).filter(
      (path, index, all) => all.indexOf(path) === index,
    );
    expect(found).toEqual(expected.map((path) => `nodes.0.params.${path}`));
  });

  test.each([
    [{ url: "{{webhook.base}}/x" }, ["url"]],
    [{ url: "{{webhook.url}}" }, []],
    [{ url: "https://{{webhook.host}}/x" }, []],
    [{ path: "{{webhook.a}}/x" }, []],
    [{ path: "/", method: "FETCH" }, ["method"]],
    [{ path: "/", headers: { A: 5 } }, ["headers.A"]],
    [{ path: "/", expectStatus: [200, "x"] }, ["expectStatus.1"]],
    [{ path: "/", expectStatus: [9_999, "x"] }, ["expectStatus.0", "expectStatus.1"]],
    [{ path: "/", expectStatus: 9_999 }, ["expectStatus"]],
    [{ path: "/", expectStatus: "x" }, ["expectStatus"]],
    [{ path: "/", query: { a: "{{webhook.x}}", b: {} } }, ["query.b"]],
  ])("http.request with %j has problems at %j", (params, expected) => {
    expect(paths([action("a", { action: "http.request", connectionId: "http", params })])).toEqual(
      expected.map((path) => `nodes.0.params.${path}`),
    );
  });

  test.each([
    [{ field: "{{x", operator: "exists" }, ["field"]],
    [{ field: "a..b", operator: "exists" }, ["field"]],
    [{ field: "webhook.a {{webhook.b}}", operator: "exists" }, ["field"]],
    [{ field: "webhook.a", operator: "matches", value: "x" }, []],
    [{ field: "webhook.a", operator: "matches", value: "(x" }, ["value"]],
    [{ field: "webhook.a", operator: "notMatches", value: "a(?=b)" }, ["value"]],
    [{ field: "webhook.a", operator: "matches", value: ".{0,1000}[bc]$" }, ["value"]],
    [{ field: "webhook.a", operator: "matches", value: "{{webhook.b}}" }, ["value"]],
    [{ field: "nodes.zzz.output", operator: "equals", value: "{{incident.x}}" }, ["field", "value"]],
  ])("condition %j has problems at %j", (condition, expected) => {
    const node = {
      id: "c",
      type: "condition",
      when: { logic: "all", conditions: [{ logic: "any", conditions: [condition] }] },
    };
    expect(paths([node])).toEqual(expected.map((path) => `nodes.0.when.conditions.0.conditions.0.${path}`));
  });
});
