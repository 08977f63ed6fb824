import { describe, expect, test } from "bun:test";
import { canBeList, completionsAt } from "../../console/workflow-forms/completions.ts";
import { pathText } from "../../console/workflow-forms/path-text.ts";
import { ACTIONS } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import type { Definition, Graph, Node, Trigger } from "../../schema/contract/workflow.ts";
import type { GraphLookup } from "../../worker/domain/graph/lookup.ts";
import { graphsOf } from "../../worker/domain/graph/walk.ts";
import { definitionProblems } from "../support/problems.ts";

const action = (id: string, script = "true"): Node => ({
  id,
  type: "action",
  action: "script.bash",
  connectionId: "con_1",
  params: { script },
  timeoutSeconds: 60,
});
const delay = (id: string): Node => ({ id, type: "delay", seconds: 1 });

/**
 * start → choice → (true) yes → join, (false) no → join; join → each [ first → second ] → after; start fails → recover;
 * an error handler for all other failures → report.
 */
const DEFINITION: Definition = {
  nodes: [
    action("start"),
    {
      id: "choice",
      type: "condition",
      when: { logic: "all", conditions: [{ field: "nodes.start.exitCode", operator: "exists" }] },
    },
    action("yes"),
    action("no"),
    delay("join"),
    {
      id: "each",
      type: "forEach",
      items: "[1]",
      body: {
        nodes: [action("first"), action("second"), INNER()],
        edges: [
          { from: "first", to: "second", on: "success" },
          { from: "second", to: "inner", on: "success" },
        ],
      },
    },
    { id: "after", type: "approval", message: "Go on?" },
    action("recover"),
    { id: "handler", type: "errorHandler" },
    action("report"),
  ],
  edges: [
    { from: "start", to: "choice", on: "success" },
    { from: "start", to: "recover", on: "failure" },
    { from: "choice", to: "yes", on: "true" },
    { from: "choice", to: "no", on: "false" },
    { from: "yes", to: "join", on: "success" },
    { from: "no", to: "join", on: "success" },
    { from: "join", to: "each", on: "success" },
    { from: "each", to: "after", on: "success" },
    { from: "handler", to: "report", on: "success" },
  ],
};

function INNER(): Node {
  return { id: "inner", type: "forEach", items: "[1]", body: { nodes: [action("deep")], edges: [] } };
}

const TRIGGERS: readonly Trigger[] = [
  { type: "webhook" },
  { type: "webhook", payload: "body", headers: ["x-event"], query: ["env"] },
  { type: "cron", expression: "0 0 * * *" },
  { type: "incident", events: ["incident.created"] },
  { type: "failure" },
  { type: "manual", inputs: { service: { type: "string" }, hosts: { type: "array" } } },
  { type: "manual" },
];
const VARIABLES: JsonObject = { service: "nginx", nested: { list: [1], "with blank": 1 }, tags: { env: "prod" } };

function draftOf(trigger: Trigger, definition: Definition = DEFINITION): WorkflowInput {
  return { name: "A draft", trigger, definition };
}
function offeredAt(nodeId: string, trigger: Trigger = { type: "webhook" }): string[] {
  return completionsAt(draftOf(trigger), nodeId, VARIABLES).map(({ path }) => path);
}

/** The definition with a template for a path in one node. */
function using(nodeId: string, path: string, graph: Graph = DEFINITION): Graph {
  return {
    edges: graph.edges,
    nodes: graph.nodes.map((node): Node => {
      if (node.type === "forEach" && node.id !== nodeId) return { ...node, body: using(nodeId, path, node.body) };
      if (node.id !== nodeId) return node;
      if (node.type === "action") return { ...node, params: { script: "true", env: { VALUE: `{{${path}}}` } } };
      if (node.type === "approval") return { ...node, message: `{{${path}}}` };
      return node.type === "forEach" ? { ...node, items: `{{${path}}}` } : node;
    }),
  };
}
const LOOKUP: GraphLookup = {
  connection: () => ({ type: "script", enabled: true, assigned: true, targets: null }),
  workflow: () => null,
  person: () => false,
};
const NODES = ["start", "yes", "no", "each", "first", "second", "inner", "deep", "after", "recover", "report"];

describe("template completions", () => {
  for (const trigger of TRIGGERS) {
    test(`offer only paths that saving accepts with ${JSON.stringify(trigger)}`, () => {
      for (const node of NODES) {
        for (const path of offeredAt(node, trigger)) {
          expect([node, path, definitionProblems(using(node, path), trigger, LOOKUP)]).toEqual([node, path, []]);
        }
      }
    });
  }

  test("offer the outputs of exactly the nodes that may have run", () => {
    const ids = graphsOf(DEFINITION).flatMap(({ graph }) => graph.nodes.map(({ id }) => id));
    for (const node of NODES) {
      const offered = new Set(offeredAt(node));
      for (const id of ids) {
        const path = `nodes.${id}.status`;
        const isAccepted = definitionProblems(using(node, path), { type: "webhook" }, LOOKUP).length === 0;
        expect([node, path, offered.has(path)]).toEqual([node, path, isAccepted]);
      }
    }
  });

  test.each([
    ["yes", "nodes.start.output.stdout", true],
    ["yes", "nodes.start.exitCode", true],
    ["yes", "nodes.no.output.stdout", false],
    ["yes", "nodes.after.output.decision", false],
    ["yes", "nodes.yes.output.stdout", false],
    ["yes", "nodes.choice.output", false],
    ["after", "nodes.each.output.results", true],
    ["after", "nodes.first.output.stdout", false],
    ["first", "foreach.item", true],
    ["first", "foreach.parent.item", false],
    ["first", "nodes.yes.output.stdout", true],
    ["first", "nodes.each.output.results", false],
    ["deep", "foreach.parent.index", true],
    ["deep", "nodes.first.output.stdout", true],
    ["yes", "foreach.item", false],
    ["yes", "error.message", false],
    ["recover", "error.message", true],
    ["report", "error.nodeId", true],
    ["report", "nodes.after.output.decision", true],
    ["report", "nodes.handler.output.message", true],
  ])("at the node %s offer %s: %p", (node, path, isOffered) => {
    expect(offeredAt(node).includes(path)).toBe(isOffered);
  });

  test.each([
    [{ type: "webhook" }, ["webhook.service", "webhook.nested.list", "webhook"]],
    [{ type: "cron", expression: "0 0 * * *" }, ["cron.scheduledAt"]],
    [{ type: "incident", events: ["incident.created"] }, ["incident.severity", "incident.tags.env", "incident.tags"]],
    [{ type: "failure" }, ["failed.error.message", "failed.workflow.tags", "failed.incident.service"]],
    [{ type: "manual", inputs: { service: { type: "string" } } }, ["inputs.service"]],
    [{ type: "manual" }, ["inputs.service"]],
  ] satisfies [Trigger, string[]][])("offer the paths of the trigger %j", (trigger, paths) => {
    expect(offeredAt("start", trigger)).toEqual(expect.arrayContaining(paths));
  });

  test("of a webhook's whole request are its body's, and the named headers and parameters", () => {
    const trigger: Trigger = { type: "webhook", payload: "body", headers: ["x-event"], query: ["env"] };
    const body = { status: "firing", alerts: [{ labels: { host: "web-1" } }], numbers: [1] };
    const offered = completionsAt(draftOf(trigger), "start", { body, headers: { "x-other": "1" }, service: "nginx" });
    expect(offered.map(({ path }) => path).filter((path) => path.startsWith("webhook."))).toEqual([
      "webhook.body.status",
      "webhook.body.alerts",
      "webhook.body.alerts.0.labels",
      "webhook.body.alerts.0.labels.host",
      "webhook.body.numbers",
      "webhook.headers.x-event",
      "webhook.query.env",
      "webhook.body",
    ]);
  });

  test("describe each output of an action with the help of its descriptor", () => {
    const get: Node = {
      id: "read",
      type: "action",
      action: "redis.get",
      connectionId: "con_1",
      params: { key: "a" },
      timeoutSeconds: 60,
    };
    const definition = { nodes: [get, action("use")], edges: [{ from: "read", to: "use", on: "success" as const }] };
    expect(completionsAt(draftOf({ type: "webhook" }, definition), "use")).toContainEqual({
      path: "nodes.read.output.found",
      type: "boolean",
      detail: `${ACTIONS["redis.get"].output["found"]?.help}, from read`,
    });
  });

  test("offer a name with spaces only in brackets", () => {
    const offered = offeredAt("start").filter((path) => path.includes(" "));
    expect(offered.filter((path) => path !== 'webhook.nested["with blank"]')).toEqual([]);
  });

  test.each([
    [["webhook"], "webhook"],
    [["webhook", "host_name", "0"], "webhook.host_name.0"],
    [["webhook", "host name", "größe"], 'webhook["host name"].größe'],
    [["webhook", "a.b"], 'webhook["a.b"]'],
  ])("write the path %j as %s", (parts, text) => expect(pathText(parts)).toBe(text));

  test("offer a variable that another node uses", () => {
    const definition = { nodes: [action("one"), action("two", 'echo "{{webhook.host}}"')], edges: [] };
    const offered = completionsAt(draftOf({ type: "webhook" }, definition), "one");
    expect(offered).toContainEqual({ path: "webhook.host", type: "any", detail: "used in this workflow" });
  });

  test("offer no tags with another type of trigger, and nothing at a missing node", () => {
    expect(offeredAt("start").some((path) => path.startsWith("incident"))).toBe(false);
    expect(completionsAt(draftOf({ type: "webhook" }), "missing")).toEqual([]);
  });

  test("for a forEach are only paths that can be a list", () => {
    const lists = completionsAt(draftOf({ type: "webhook" }), "each", VARIABLES).filter(canBeList);
    const paths = lists.map(({ path }) => path);
    expect(paths).toContain("webhook.nested.list");
    expect(paths).toContain("nodes.start.output.stdout");
    expect(paths).not.toContain("nodes.start.exitCode");
    expect(paths).not.toContain("webhook.nested");
  });
});
