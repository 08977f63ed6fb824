import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Definition } from "../../schema/contract/workflow.ts";
import { codeChanges } from "../../worker/domain/code-changes.ts";
import { action, define } from "./engine.ts";

/** The nodes that need `code:write` when one definition replaces another. */
const script = (id: string, more: JsonObject = {}) =>
  action(id, { action: "script.bash", params: { script: "true" }, connectionId: "con_1", ...more });
const chat = (id: string, more: JsonObject = {}) =>
  action(id, { action: "chat.sendMessage", params: { text: "hi" }, connectionId: "con_2", ...more });
const delay = (id: string): JsonObject => ({ id, type: "delay", seconds: 1 });
const forEach = (id: string, nodes: JsonObject[], more: JsonObject = {}): JsonObject => ({
  id,
  type: "forEach",
  items: "{{ trigger.data.hosts }}",
  body: { nodes, edges: [] },
  ...more,
});
const graph = (...nodes: JsonObject[]): Definition => define(nodes, []);
const changed = (before: Definition | null, after: Definition) =>
  codeChanges(before, after).map(({ path, node }) => [path, node.id]);

describe("a new action", () => {
  test.each<[string, JsonObject]>([
    ["script.bash", { script: "true" }],
    ["script.python", { script: "print()" }],
    ["script.powershell", { script: "Get-Date" }],
    ["ssh.executeCommand", { command: "id" }],
    ["ssh.executeScript", { script: "id" }],
    ["winrm.executeScript", { script: "Get-Date" }],
    ["kubernetes.restartDeployment", { deployment: "web" }],
    ["kubernetes.getLogs", { pod: "web" }],
    ["database.executeQuery", { query: "delete from t" }],
    ["database.executeQuery", { query: "select 1", readOnly: false }],
    ["database.executeQuery", { query: "select 1", readOnly: "{{ trigger.data.readOnly }}" }],
    ["database.executeQuery", { query: "select 1", readOnly: "true" }],
    ["http.request", { method: "POST" }],
    ["http.request", { method: "OPTIONS" }],
    ["http.request", { method: "{{ trigger.data.method }}" }],
    ["http.request", { headers: { Accept: "*/*", "x-HTTP-Method-Override": "DELETE" } }],
    ["http.request", { headers: { X_HTTP_Method_Override: "DELETE" } }],
    ["http.request", { method: "HEAD", headers: { "X-Method-Override": "{{ trigger.data.method }}" } }],
    ["http.request", { method: "GET{{ trigger.data.more }}" }],
  ])("%s with %j needs code:write", (name, params) => {
    expect(changed(null, graph(delay("wait"), action("a", { action: name, params })))).toEqual([["nodes.1", "a"]]);
  });

  test.each<[string, JsonObject]>([
    ["http.request", {}],
    ["http.request", { method: "GET", url: "{{ trigger.data.url }}" }],
    ["http.request", { method: "HEAD" }],
    ["http.request", { method: "GET", headers: { Accept: "application/json" } }],
    ["database.executeQuery", { query: "select 1", readOnly: true }],
    ["chat.sendMessage", { text: "hi" }],
    ["os.restartService", { service: "nginx" }],
    ["notification.sendNotification", { channel: "email" }],
  ])("%s with %j needs no code:write", (name, params) => {
    expect(changed(null, graph(action("a", { action: name, params })))).toEqual([]);
  });
});

describe("a change of an action that runs code", () => {
  const before = graph(script("a"), chat("b"));
  const cases: [string, Definition, Definition, [string, string][]][] = [
    ["in nothing", before, before, []],
    ["in its place among the nodes", before, graph(chat("b"), script("a")), []],
    ["in name, timeout and retries", before, graph(script("a", { name: "A", timeoutSeconds: 5 }), chat("b")), []],
    [
      "in the order of its parameters' names",
      graph(script("a", { params: { script: "true", env: { X: "1", Y: "2" } } })),
      graph(script("a", { params: { env: { Y: "2", X: "1" }, script: "true" } })),
      [],
    ],
    ["in its code", before, graph(script("a", { params: { script: "id" } })), [["nodes.0", "a"]]],
    [
      "in a template of its environment",
      before,
      graph(script("a", { params: { script: "true", env: { X: "{{ vars.x }}" } } })),
      [["nodes.0", "a"]],
    ],
    ["in its target", before, graph(script("a", { target: "web-1" })), [["nodes.0", "a"]]],
    ["in its connection", before, graph(script("a", { connectionId: "con_3" })), [["nodes.0", "a"]]],
    [
      "in having a connection",
      before,
      graph({ id: "a", type: "action", action: "script.bash", params: { script: "true" } }),
      [["nodes.0", "a"]],
    ],
    [
      "in the connection whose secrets it gets",
      before,
      graph(script("a", { params: { script: "true", secretsFrom: "con_9" } })),
      [["nodes.0", "a"]],
    ],
    ["in its action", before, graph(script("a", { action: "script.python" })), [["nodes.0", "a"]]],
    ["from a harmless action", before, graph(script("a"), script("b")), [["nodes.1", "b"]]],
    ["to a harmless action", before, graph(chat("a"), chat("b")), [["nodes.0", "a"]]],
    ["to another method", graph(http("POST")), graph(http("GET")), [["nodes.0", "h"]]],
    ["from another type of node", graph(delay("a")), graph(script("a")), [["nodes.0", "a"]]],
    ["to another type of node", graph(script("a")), graph(delay("a")), []],
    ["by removal", before, graph(chat("b")), []],
    ["by another id", before, graph(script("z"), chat("b")), [["nodes.0", "z"]]],
    [
      "by ids that were swapped",
      graph(script("a"), script("b", { connectionId: "con_4" })),
      graph(script("b"), script("a", { connectionId: "con_4" })),
      [
        ["nodes.0", "b"],
        ["nodes.1", "a"],
      ],
    ],
    [
      "in the body of a forEach in a forEach",
      graph(forEach("f", [delay("d"), forEach("g", [script("a")])])),
      graph(forEach("f", [delay("d"), forEach("g", [script("a", { params: { script: "id" } })])])),
      [["nodes.0.body.nodes.1.body.nodes.0", "a"]],
    ],
    ["of a chat message next to it", before, graph(script("a"), chat("b", { params: { text: "ho" } })), []],
  ];

  test.each(cases)("%s", (_how, was, is, expected) => {
    expect(changed(was, is)).toEqual(expected);
  });

  test("of a forEach's items or a sub-workflow's variables is a change of values and needs no code:write", () => {
    const call = (host: string): JsonObject => ({ id: "w", type: "workflow", workflowId: "wf", variables: { host } });
    const was = graph(forEach("f", [script("a")]), call("web-1"));
    expect(
      changed(was, graph(forEach("f", [script("a")], { items: "{{ trigger.data.all }}" }), call("web-2"))),
    ).toEqual([]);
  });
});

function http(method: string): JsonObject {
  return action("h", { action: "http.request", params: { method } });
}
