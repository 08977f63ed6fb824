import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Role } from "../../schema/contract/people.ts";
import type { Definition } from "../../schema/contract/workflow.ts";
import { approverWarnings } from "../../worker/domain/graph/approver-warnings.ts";
import { weakenedApprovals } from "../../worker/domain/graph/weakened-approvals.ts";
import { action, define, edges } from "./engine.ts";

const ask = (more: JsonObject = {}): JsonObject => ({ id: "ask", type: "approval", message: "?", ...more });
const approvedBy = (more: JsonObject) => define([ask(more)]);

describe("publishing warns of an approval", () => {
  const person = (id: string, role: Role) => ({ id, email: `${id}@example.com`, role });
  const [ann, bob, vic] = [person("ann", "editor"), person("bob", "operator"), person("vic", "viewer")];
  const another = { by: "another" };

  test.each<[string, JsonObject, ReturnType<typeof person>[], string[]]>([
    ["by another person that only one person could answer", another, [ann, vic], ["nodes.0.by"]],
    ["by another person that no one could answer", another, [vic], ["nodes.0.by"]],
    [
      "by another person with one listed person",
      { ...another, approvers: { people: ["ann"] } },
      [ann, bob],
      ["nodes.0.approvers"],
    ],
    [
      "whose only listed person lacks the permission",
      { approvers: { people: ["vic"] } },
      [ann, vic],
      ["nodes.0.approvers"],
    ],
    ["whose only listed person is disabled or gone", { approvers: { people: ["dan"] } }, [ann], ["nodes.0.approvers"]],
    ["with one listed person, who may be away", { approvers: { people: ["ann"] } }, [ann, bob], ["nodes.0.approvers"]],
    ["with a role that no one has", { approvers: { roles: ["admin"] } }, [ann], ["nodes.0.approvers"]],
  ])("%s", (_case, more, people, paths) => {
    expect(approverWarnings(approvedBy(more), people).map(({ path }) => path)).toEqual(paths);
  });

  test.each<[string, JsonObject, ReturnType<typeof person>[]]>([
    ["by another person that two people could answer", another, [ann, bob]],
    ["with two listed people, when the starter may answer", { approvers: { people: ["ann", "bob"] } }, [ann, bob]],
    ["without a rule", {}, []],
  ])("an approval %s causes no warning", (_case, more, people) => {
    expect(approverWarnings(approvedBy(more), people)).toEqual([]);
  });

  test("with its whole path inside a forEach", () => {
    const definition = define([
      action("a"),
      { id: "all", type: "forEach", items: "[1]", body: { nodes: [ask(another)], edges: [] } },
    ]);
    expect(approverWarnings(definition, [ann])).toMatchObject([{ path: "nodes.1.body.nodes.0.by" }]);
  });
});

describe("an approval is weakened", () => {
  const behind = edges("ask -approved-> go");
  const before = define([ask(), action("go")], behind);
  const paths = (former: Definition, now: Definition) => weakenedApprovals(former, now).map(({ path }) => path);
  const asked = [ask(), action("go")];
  /** A step on the host `free`, then the approval of a step on another one. */
  const onHosts = (free: string, guarded = "prod-1.example.org", script = "true") =>
    define(
      [
        action("look", { target: free, params: { script } }),
        ask(),
        action("go", { target: guarded, params: { script: "reboot" } }),
      ],
      edges("look -> ask", "ask -approved-> go"),
    );
  const wrapped = (nodes: JsonObject[], graphEdges = behind, more: JsonObject = {}) =>
    define([{ id: "all", type: "forEach", items: "[1]", body: { nodes, edges: graphEdges }, ...more }]);

  test.each<[string, Definition, Definition, string[]]>([
    ["when it is removed", before, define([action("go")]), ["nodes"]],
    [
      "when it has another id",
      before,
      define([{ ...ask(), id: "asks" }, action("go")], edges("asks -approved-> go")),
      ["nodes"],
    ],
    ["when another node has its id", before, define([action("ask"), action("go")]), ["nodes"]],
    ["when its field by is gone", approvedBy({ by: "another" }), approvedBy({}), ["nodes.0.by"]],
    [
      "when all approvers are removed",
      approvedBy({ approvers: { roles: ["admin"] } }),
      approvedBy({}),
      ["nodes.0.approvers"],
    ],
    [
      "when a role is added",
      approvedBy({ approvers: { roles: ["admin"] } }),
      approvedBy({ approvers: { roles: ["admin", "editor"] } }),
      ["nodes.0.approvers"],
    ],
    [
      "when a person replaces a role",
      approvedBy({ approvers: { roles: ["admin"] } }),
      approvedBy({ approvers: { people: ["ann"] } }),
      ["nodes.0.approvers"],
    ],
    ["when the edge to the action is removed", before, define([ask(), action("go")]), ["nodes.1"]],
    [
      "when its rejected edge leads to the action, too",
      before,
      define([ask(), action("go")], edges("ask -approved-> go", "ask -rejected-> go")),
      ["nodes.1"],
    ],
    [
      "when another path leads to the action",
      before,
      define([ask(), { id: "wait", type: "delay", seconds: 1 }, action("go")], [...behind, ...edges("wait -> go")]),
      ["nodes.2"],
    ],
    [
      "when a node of another id uses its connection before it",
      before,
      define([ask(), action("went")], edges("ask -rejected-> went")),
      ["nodes.1"],
    ],
    [
      "when the same action moves before it under another id, on a connection that is used there already",
      define(
        [action("a", { params: { script: "uptime" } }), ask(), action("go")],
        edges("a -> ask", "ask -approved-> go"),
      ),
      define(
        [action("a", { params: { script: "uptime" } }), action("went"), ask(), action("go")],
        edges("a -> went", "went -> ask", "ask -approved-> go"),
      ),
      ["nodes.1"],
    ],
    [
      "when a script before it gets the secrets of a connection behind it",
      define([action("a"), ask(), action("go", { connectionId: "ssh" })], edges("a -> ask", "ask -approved-> go")),
      define(
        [action("a", { params: { script: "true", secretsFrom: "ssh" } }), ask(), action("go", { connectionId: "ssh" })],
        edges("a -> ask", "ask -approved-> go"),
      ),
      ["nodes.0"],
    ],
    [
      "when a sub-workflow behind it moves before it",
      define([ask(), { id: "sub", type: "workflow", workflowId: "child" }], edges("ask -approved-> sub")),
      define([ask(), { id: "sub", type: "workflow", workflowId: "child" }], edges("sub -> ask")),
      ["nodes.1"],
    ],
    [
      "when a step before it moves to the host behind it, on a connection to several hosts",
      onHosts("test-1.example.org"),
      onHosts("prod-1.example.org"),
      ["nodes.0"],
    ],
    [
      "when the host behind it is written in another way before it",
      onHosts("test-1.example.org"),
      onHosts(" PROD-1.example.org:2222"),
      ["nodes.0"],
    ],
    [
      "when a template before it chooses the host",
      onHosts("test-1.example.org"),
      onHosts("{{inputs.host}}"),
      ["nodes.0"],
    ],
    [
      "when a step before it gets another host, and a template behind it chooses any",
      onHosts("test-1.example.org", "{{inputs.host}}"),
      onHosts("test-2.example.org", "{{inputs.host}}"),
      ["nodes.0"],
    ],
    [
      "when a template before it gives way to the host behind it",
      onHosts("{{inputs.host}}"),
      onHosts("prod-1.example.org"),
      ["nodes.0"],
    ],
    ["inside a forEach", wrapped([ask(), action("go")]), wrapped([ask(), action("go")], []), ["nodes.0.body.nodes.1"]],
    [
      "when the body of a forEach behind it comes before it",
      define(
        [ask(), { id: "all", type: "forEach", items: "[1]", body: { nodes: [action("go")], edges: [] } }],
        edges("ask -approved-> all"),
      ),
      define(
        [ask(), { id: "all", type: "forEach", items: "[1]", body: { nodes: [action("go")], edges: [] } }],
        edges("all -> ask"),
      ),
      ["nodes.1.body.nodes.0"],
    ],
    [
      "when an action behind it moves behind an error handler",
      before,
      define([ask(), { id: "oops", type: "errorHandler" }, action("go")], [...behind, ...edges("oops -> go")]),
      ["nodes.2"],
    ],
    [
      "when the forEach around it goes on after a rejection",
      wrapped(asked),
      wrapped(asked, behind, { continueOnError: true }),
      ["nodes.0"],
    ],
    [
      "when the forEach around it allows more failures",
      wrapped(asked),
      wrapped(asked, behind, { maxFailures: "50%" }),
      ["nodes.0"],
    ],
  ])("%s", (_case, former, now, expected) => {
    expect(paths(former, now)).toEqual(expected);
  });

  test.each<[string, Definition, Definition]>([
    [
      "when its message or its time limit changes",
      before,
      define([ask({ message: "Now?", timeoutSeconds: 9 }), action("go")], behind),
    ],
    ["when another person must answer it", before, define([ask({ by: "another" }), action("go")], behind)],
    [
      "when it has approvers for the first time",
      before,
      define([ask({ approvers: { roles: ["admin"] } }), action("go")], behind),
    ],
    [
      "when it has fewer approvers",
      approvedBy({ approvers: { roles: ["admin", "editor"], people: ["ann"] } }),
      approvedBy({ approvers: { roles: ["admin"] } }),
    ],
    ["when the action behind it changes", before, define([ask(), action("go", { connectionId: "ssh" })], behind)],
    [
      "when a node is added between it and the action",
      before,
      define([ask(), action("first"), action("go")], edges("ask -approved-> first", "first -> go")),
    ],
    [
      "when another connection is used before it",
      before,
      define([action("a", { connectionId: "ssh" }), ask(), action("go")], edges("a -> ask", "ask -approved-> go")),
    ],
    [
      "when a connection that was used before it already is used there again",
      define([action("a"), ask(), action("go")], edges("a -> ask", "ask -approved-> go")),
      define(
        [action("a"), action("b", { params: { script: "uptime" } }), ask(), action("go")],
        edges("a -> b", "b -> ask", "ask -approved-> go"),
      ),
    ],
    [
      "when a step before it changes on its host",
      onHosts("test-1.example.org"),
      onHosts("test-1.example.org", undefined, "uptime"),
    ],
    [
      "when a step before it moves to another host than the one behind it",
      onHosts("test-1.example.org"),
      onHosts("test-2.example.org"),
    ],
    ["when a template before it stays", onHosts("{{inputs.host}}"), onHosts("{{inputs.host}}", undefined, "uptime")],
    [
      "when a template behind it stays",
      onHosts("test-1.example.org", "{{inputs.host}}"),
      onHosts("test-1.example.org", "{{inputs.host}}", "uptime"),
    ],
    [
      "when a second approval is added",
      before,
      define([ask(), { ...ask(), id: "too" }, action("go")], edges("ask -approved-> too", "too -approved-> go")),
    ],
  ])("an approval is not weakened %s", (_case, former, now) => {
    expect(paths(former, now)).toEqual([]);
  });
});
