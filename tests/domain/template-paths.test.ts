import { expect, test } from "bun:test";
import type { GivenNode } from "../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";
import { dryRun } from "../../worker/domain/dry-run/index.ts";
import { action, define, edges, Engine } from "./engine.ts";

interface Case {
  nodes: JsonObject[];
  edges: string[];
  /** The results of nodes, in this order. An approval is answered by `outcome`. */
  ends?: Record<string, GivenNode>;
  trigger?: ExecutionTrigger;
  /** The list of a forEach `each`. If set, the node `look` is in its body. */
  items?: string;
  /** The values that the node `look` sees, by path or by whole template. */
  sees: Record<string, string>;
}

const approval = { id: "ask", type: "approval", message: "Go on?" };
const condition = (field: string) => ({
  id: "when",
  type: "condition",
  when: { logic: "all", conditions: [{ field, operator: "exists" }] },
});
const BROKE = { code: "nonzero_exit", message: "It broke." };

const CASES: Record<string, Case> = {
  "values of a webhook, also below lists and through dots": {
    nodes: [],
    edges: [],
    trigger: { type: "webhook", variables: { hosts: [{ name: "web-1" }], "a.b": 1, empty: null } },
    sees: {
      "webhook.hosts.0.name": "web-1",
      'inputs["a.b"]': "1",
      "webhook.hosts.length": "",
      "webhook.hosts.00": "",
      "webhook.empty": "",
      "webhook.constructor": "",
    },
  },
  "an incident's fields, and tags whose names have dots": {
    nodes: [],
    edges: [],
    trigger: { type: "incident", incident: { title: "Full", tags: { "app.kubernetes.io/name": "shop", a: "b" } } },
    sees: { "incident.title": "Full", "incident.tags.app.kubernetes.io/name": "shop", "incident.tags.a": "b" },
  },
  "an incident that a person passed as a variable": {
    nodes: [],
    edges: [],
    trigger: { type: "manual", variables: { incident: { title: "Full", tags: { "a.b": "c" } } }, by: null },
    sees: { "incident.title": "Full", "incident.tags.a.b": "c" },
  },
  "a failed execution": {
    nodes: [],
    edges: [],
    trigger: { type: "failure", failed: { error: { code: "x" }, node: null, incident: { tags: { "a.b": "c" } } } },
    sees: { "failed.error.code": "x", "failed.node.id": "", "failed.incident.tags.a.b": "c", "failed.constructor": "" },
  },
  "a failed execution that a person passed as a variable": {
    nodes: [],
    edges: [],
    trigger: { type: "manual", variables: { failed: { error: { code: "x" } } }, by: null },
    sees: { "failed.error.code": "x", "incident.title": "" },
  },
  "the time of a cron trigger": {
    nodes: [],
    edges: [],
    trigger: { type: "cron", scheduledAt: "2027-01-01T00:00:00.000Z" },
    sees: { "cron.scheduledAt": "2027-01-01T00:00:00.000Z", "cron.other": "" },
  },
  "a node's result": {
    nodes: [action("a")],
    edges: ["a -> look"],
    ends: { a: { output: { exitCode: 0, stdout: '{"x":[1]}' } } },
    sees: {
      "nodes.a.status": "succeeded",
      "nodes.a.exitCode": "0",
      "nodes.a.output.stdout": '{"x":[1]}',
      "nodes.a.output.json.x.0": "1",
      "nodes.a.output.json.y": "",
      "nodes.a.stdout": "",
    },
  },
  "the result of a condition": {
    nodes: [condition("webhook.none")],
    edges: ["when -false-> look"],
    sees: { "nodes.when.output.result": "false", "nodes.when.status": "succeeded" },
  },
  "a node without an output": {
    nodes: [{ id: "wait", type: "delay", seconds: 1 }],
    edges: ["wait -> look"],
    sees: { "nodes.wait.output": "", "nodes.wait.output.x": "" },
  },
  "a node that was skipped": {
    nodes: [condition("webhook.none"), action("a")],
    edges: ["when -true-> a", "when -false-> look", "a -> look"],
    sees: { "nodes.a.status": "skipped", "nodes.a.output.stdout": "", "nodes.a.exitCode": "" },
  },
  "the error behind a failure edge, with only the two codes of its output": {
    nodes: [action("a")],
    edges: ["a -failure-> look"],
    ends: { a: { status: "timed_out", error: BROKE, output: { exitCode: 9, stderr: "no", stdout: '{"x":1}' } } },
    sees: {
      "error.nodeId": "a",
      "error.actionType": "script.bash",
      "error.status": "timed_out",
      "error.code": "nonzero_exit",
      "error.message": "It broke.",
      "error.exitCode": "9",
      "error.statusCode": "",
      "error.output.stderr": "no",
      "error.output.json.x": "1",
      "error.stderr": "",
      "error.json.x": "",
      "error.message.x": "",
    },
  },
  "the failure behind an errorHandler, which no edge takes": {
    nodes: [action("a"), action("b"), action("tidy"), { id: "h", type: "errorHandler" }],
    edges: ["a -failure-> tidy", "h -> look"],
    ends: {
      a: { status: "failed", error: { code: "first", message: "A." } },
      b: { status: "failed", error: { code: "second", message: "B." } },
    },
    sees: { "error.nodeId": "b", "error.code": "second" },
  },
  "an earlier failure, although another node's failure edge leads here": {
    nodes: [action("a"), action("b"), action("tidy")],
    edges: ["a -failure-> tidy", "tidy -> look", "b -failure-> look"],
    ends: {
      a: { status: "failed", error: BROKE },
      b: { output: {} },
      tidy: { output: {} },
    },
    sees: { "error.nodeId": "a", "nodes.b.status": "succeeded" },
  },
  "the first item of a forEach, and values from outside the forEach": {
    nodes: [action("a")],
    edges: ["a -> each"],
    items: "{{webhook.hosts}}",
    trigger: { type: "webhook", variables: { hosts: [{ name: "web-1" }, "web-2"] } },
    ends: { a: { output: { stdout: "out" } } },
    sees: {
      "foreach.item.name": "web-1",
      "foreach.index": "0",
      "foreach.total": "2",
      "foreach.other": "",
      "foreach.parent.item": "",
      "nodes.a.output.stdout": "out",
      "nodes.none.output": "",
    },
  },
  "a failure that led to the forEach around the node": {
    nodes: [action("a")],
    edges: ["a -failure-> each"],
    items: "[1]",
    ends: { a: { status: "failed", error: BROKE } },
    sees: { "error.nodeId": "a", "error.message": "It broke." },
  },
  "a rejected approval without a rejected edge is a failure": {
    nodes: [approval, { id: "h", type: "errorHandler" }],
    edges: ["h -> look"],
    ends: { ask: { outcome: "rejected", error: { code: "approval_rejected", message: "Rejected by ann." } } },
    sees: { "error.nodeId": "ask", "error.actionType": "approval", "nodes.ask.status": "failed" },
  },
  "a rejected approval with a rejected edge is not a failure": {
    nodes: [approval],
    edges: ["ask -rejected-> look"],
    ends: { ask: { outcome: "rejected" } },
    sees: { "error.nodeId": "", "nodes.ask.status": "succeeded" },
  },
};

test.each(Object.entries(CASES))("engine and dry run see the same: %s", (_name, { sees, items, ...given }) => {
  const templates = Object.keys(sees).map((path) => (path.includes("{{") ? path : `{{${path}}}`));
  const env = Object.fromEntries(templates.map((template, at) => [`V${at}`, template]));
  const look = action("look", { params: { script: "true", env } });
  const expected = Object.fromEntries(Object.values(sees).map((value, at) => [`V${at}`, value]));
  const each = { id: "each", type: "forEach", items: items ?? "", body: { nodes: [look], edges: [] } };
  const nodes = [...given.nodes, items === undefined ? look : each];
  expect(inEngine({ ...given, nodes })).toEqual(expected);
  expect(inDryRun({ ...given, nodes })).toEqual(expected);
});

type Given = Omit<Case, "sees" | "items">;

function inEngine({ nodes, edges: lines, ends = {}, trigger }: Given): JsonObject {
  const engine = Engine.start(nodes, edges(...lines), trigger === undefined ? {} : { trigger });
  for (const [id, { status = "succeeded", outcome, output = {}, error }] of Object.entries(ends)) {
    engine.now += 1;
    if (outcome === "approved" || outcome === "rejected") {
      const decision = { nodeRunId: engine.run(id).id, decision: outcome, by: "ann", comment: null };
      engine.apply({ type: "decided", decision: { ...decision, approved: { versions: {}, targets: {} } } });
    } else
      engine.end(id, {
        status,
        output: isJsonObject(output) ? output : null,
        error: error === undefined ? null : { ...BROKE, ...error },
      });
  }
  engine.wake(1_000);
  return engine.order("look").values;
}

function inDryRun({ nodes, edges: lines, ends = {}, trigger }: Given): JsonObject {
  const data = { trigger: trigger ?? { type: "webhook" as const, variables: {} }, nodes: ends };
  const shown = dryRun(define(nodes, edges(...lines)), data).find(({ nodeId }) => nodeId === "look");
  return Object.fromEntries((shown?.action?.values ?? []).map(({ name, value }) => [name, value]));
}
