import { describe, expect, test } from "bun:test";
import { outcomesInUse } from "../../console/graph/outcome-look.ts";
import { apply } from "../../console/views/designer/model/commands.ts";
import type { Command, Draft } from "../../console/views/designer/model/commands.ts";
import { outcomesOf, whyNotConnect } from "../../console/views/designer/model/connect.ts";
import { takeFragment } from "../../console/views/designer/model/fragment.ts";
import { findNode } from "../../console/views/designer/model/graph-edit.ts";
import { begin, reduceHistory } from "../../console/views/designer/model/history.ts";
import { placeNodes } from "../../console/views/designer/model/places.ts";
import type { Definition, Edge, Node } from "../../schema/contract/workflow.ts";
import { checkIds } from "../../worker/domain/graph/limits.ts";
import { checkStructure } from "../../worker/domain/graph/structure.ts";
import { graphsOf } from "../../worker/domain/graph/walk.ts";

const wait = (id: string): Node => ({ id, type: "delay", seconds: 1 });
const ask = (id: string, message = "?"): Node => ({ id, type: "approval", message });
const each = (id: string, nodes: Node[], edges: Edge[] = []): Node => ({
  id,
  type: "forEach",
  items: "{{webhook.hosts}}",
  body: { nodes, edges },
});
const edge = (text: string): Edge => {
  const [from = "", on = "", to = ""] = text.split(" ");
  return { from, to, on: on === "failure" || on === "approved" || on === "rejected" ? on : "success" };
};
const textOf = ({ from, on, to }: Edge) => `${from} ${on} ${to}`;
const draft = (nodes: Node[], edges: string[] = [], layout?: Definition["layout"]): Draft => ({
  name: "a workflow",
  trigger: { type: "webhook" },
  definition: { nodes, edges: edges.map(edge), ...(layout === undefined ? {} : { layout }) },
});
/** The graph as text: its ids with their bodies, and its edges. */
const shape = ({ definition }: Draft) => {
  const of = (graph: Pick<Definition, "nodes" | "edges">): string =>
    [
      graph.nodes.map((node) => (node.type === "forEach" ? `${node.id}(${of(node.body)})` : node.id)).join(" "),
      graph.edges.map(textOf).join(", "),
    ]
      .filter(Boolean)
      .join("; ");
  return of(definition);
};

describe("a command of the designer", () => {
  const chain = draft([wait("a"), wait("b"), ask("c")], ["a success b", "b success c"]);
  const nested = draft(
    [wait("a"), each("f", [wait("x"), wait("y")], [edge("x success y")]), wait("b")],
    ["a success f", "f success b"],
  );
  const cases: [string, Draft, Command, string][] = [
    ["adds a node alone", chain, { do: "add", node: wait("n"), into: null }, "a b c n; a success b, b success c"],
    [
      "adds a node after another one, before its successor",
      chain,
      { do: "add", node: wait("n"), into: null, after: { from: "a", on: "success" } },
      "a b c n; a success n, n success b, b success c",
    ],
    [
      "adds a node after the last one",
      chain,
      { do: "add", node: wait("n"), into: null, after: { from: "c", on: "rejected" } },
      "a b c n; a success b, b success c, c rejected n",
    ],
    [
      "inserts a node into an edge",
      chain,
      { do: "add", node: ask("n"), into: null, onEdge: edge("b success c") },
      "a b c n; a success b, b success n, n approved c",
    ],
    [
      "does not insert an errorHandler into a success edge",
      chain,
      { do: "add", node: { id: "n", type: "errorHandler" }, into: null, onEdge: edge("b success c") },
      "a b c n; a success b, b success c",
    ],
    [
      "adds a node to the body of a forEach",
      nested,
      { do: "add", node: wait("n"), into: "f" },
      "a f(x y n; x success y) b; a success f, f success b",
    ],
    ["does not add a node with a used id", nested, { do: "add", node: wait("x"), into: null }, shape(nested)],
    ["removes a node with its edges", chain, { do: "remove", ids: ["b"] }, "a c"],
    ["removes a forEach with its body", nested, { do: "remove", ids: ["f"] }, "a b"],
    [
      "removes an edge inside the body of a forEach",
      nested,
      { do: "remove", ids: [], edges: [edge("x success y")] },
      "a f(x y) b; a success f, f success b",
    ],
    [
      "connects two nodes",
      chain,
      { do: "connect", edge: edge("a success c") },
      "a b c; a success b, b success c, a success c",
    ],
    ["does not close a cycle", chain, { do: "connect", edge: edge("c approved a") }, shape(chain)],
    [
      "splices an existing node without edges into an edge",
      draft([wait("a"), wait("b"), wait("n")], ["a success b"]),
      { do: "splice", id: "n", edge: edge("a success b") },
      "a b n; a success n, n success b",
    ],
    [
      "does not splice a node that has edges",
      chain,
      { do: "splice", id: "c", edge: edge("a success b") },
      shape(chain),
    ],
    [
      "moves a node into a forEach and removes its edges to the nodes that stay",
      nested,
      { do: "move", ids: ["a"], into: "f", places: {} },
      "f(x y a; x success y) b; f success b",
    ],
    [
      "moves nodes out of a forEach with the edges among them",
      nested,
      { do: "move", ids: ["x", "y"], into: null, places: {} },
      "a f() b x y; a success f, f success b, x success y",
    ],
    ["does not move a forEach into itself", nested, { do: "move", ids: ["f"], into: "f", places: {} }, shape(nested)],
    [
      "pastes nodes with unused ids",
      nested,
      {
        do: "paste",
        fragment: takeFragment(nested.definition, ["f"]) ?? { nodes: [], edges: [], layout: {} },
        into: null,
      },
      "a f(x y; x success y) b f-1(x-1 y-1; x-1 success y-1); a success f, f success b",
    ],
  ];
  test.each(cases)("%s", (_what, before, command, expected) => {
    const after = apply(before, command);
    expect(shape(after)).toBe(expected);
    // After every command the graph can be drawn: no duplicate id, no edge to a missing node, no cycle.
    const graphs = graphsOf(after.definition);
    const problems = [...checkIds(graphs), ...graphs.flatMap(({ graph }) => checkStructure(graph))];
    expect(problems.filter(({ message }) => !message.includes("no node can start"))).toEqual([]);
    // No node moves that the command does not name.
    const named = command.do === "move" ? command.ids : [];
    const stay = ([id]: [string, unknown]) => !named.includes(id) && findNode(after.definition, id) !== undefined;
    const places = ({ definition }: Draft) =>
      Object.fromEntries([...placeNodes(definition)].filter(stay).map(([id, { x, y }]) => [id, { x, y }]));
    expect(places(after)).toMatchObject(places(before));
  });

  test("renames a node in every edge, template and position", () => {
    const before: Draft = {
      ...draft(
        [
          wait("check"),
          wait("check-2"),
          {
            id: "when",
            type: "condition",
            when: {
              logic: "all",
              conditions: [
                { field: "nodes.check.output.exitCode", operator: "equals", value: "{{nodes.check.status}}" },
                { logic: "any", conditions: [{ field: "nodes.check-2.status", operator: "exists" }] },
              ],
            },
          },
          each("f", [
            {
              id: "run",
              type: "action",
              action: "script.bash",
              params: {
                script: "echo {{ nodes.check.output.stdout }} nodes.check",
                env: { A: ["{{nodes.check.status}}", "{{nodes.check|json}}"] },
              },
              timeoutSeconds: 300,
            },
          ]),
          ask("report", "{{nodes.check.status}}, {{nodes.checked.status}}, {{webhook.nodes.check}}"),
        ],
        ["check success when"],
        { check: { x: 1, y: 2 } },
      ),
    };
    const node = findNode(before.definition, "check");
    if (node === undefined) throw new Error("no node");
    const after = apply(before, { do: "change", id: "check", node: { ...node, id: "look" } });
    expect(after.definition.edges.map(textOf)).toEqual(["look success when"]);
    expect(after.definition.layout?.["look"]).toEqual({ x: 1, y: 2 });
    expect(Object.keys(after.definition.layout ?? {}).toSorted()).toEqual(
      ["@trigger", "check-2", "f", "look", "report", "run", "when"].toSorted(),
    );
    const text = JSON.stringify(after.definition);
    expect(text).toContain('"field":"nodes.look.output.exitCode"');
    expect(text).toContain('"value":"{{nodes.look.status}}"');
    expect(text).toContain('"field":"nodes.check-2.status"');
    expect(text).toContain("echo {{ nodes.look.output.stdout }} nodes.check");
    expect(text).toContain('"A":["{{nodes.look.status}}","{{nodes.look|json}}"]');
    expect(text).toContain("{{nodes.look.status}}, {{nodes.checked.status}}, {{webhook.nodes.check}}");
  });

  test("does not give a node the id of another node", () => {
    expect(apply(chain, { do: "change", id: "a", node: wait("b") })).toBe(chain);
  });

  test("gives pasted nodes references to each other by their new ids", () => {
    const before = draft([wait("a"), ask("b", "{{nodes.a.status}} {{nodes.c.status}}"), wait("c")], ["a success b"]);
    const fragment = takeFragment(before.definition, ["a", "b"]);
    if (fragment === null) throw new Error("nothing was taken");
    const after = apply(before, { do: "paste", fragment, into: null });
    expect(findNode(after.definition, "b-1")).toEqual(ask("b-1", "{{nodes.a-1.status}} {{nodes.c.status}}"));
    expect(after.definition.edges.map(textOf)).toEqual(["a success b", "a-1 success b-1"]);
  });
});

describe("the designer's check of a new edge", () => {
  const { definition } = draft(
    [wait("a"), ask("b"), each("f", [wait("x")]), { id: "h", type: "errorHandler" }],
    ["a success b"],
  );
  test.each([
    ["a success a", "itself"],
    ["a success b", "already"],
    ["b approved a", "cycle"],
    ["a failure b", "ends with success"],
    ["a success x", "the border of a For each"],
    ["a success h", "Only failure edges"],
    ["h failure a", "success only"],
    ["a success gone", "no longer exists"],
  ])("refuses %s: %s", (text, expected) => {
    expect(whyNotConnect(definition, edge(text))).toContain(expected);
  });
  test.each([["b rejected f"], ["f failure h"], ["h success f"]])("allows %s", (text) => {
    expect(whyNotConnect(definition, edge(text))).toBeNull();
  });
});

test("a failure edge of an errorHandler from an earlier version is drawn, but no new one is offered", () => {
  const handler: Node = { id: "h", type: "errorHandler" };
  expect(outcomesOf(handler)).toEqual(["success"]);
  expect(outcomesOf(handler, [edge("h failure a")])).toEqual(["success", "failure"]);
  expect(outcomesInUse("errorHandler", new Set(["failure"]))).toEqual(["failure"]);
  expect(outcomesInUse("action", new Set(["failure", "success"]))).toEqual(["success", "failure"]);
});

describe("the undo history of the designer", () => {
  const start = draft([wait("a")]);
  const rename = (name: string): Command => ({ do: "head", fields: { name } });
  const historyOf = (commands: readonly [Command, number][]) =>
    commands.reduce(
      (history, [command, now]) => reduceHistory(history, { type: "command", command, now }),
      begin(start),
    );

  test("joins typing in one field to one step, until a pause or typing in another field", () => {
    const history = historyOf([
      [rename("b"), 0],
      [rename("bc"), 500],
      [{ do: "change", id: "a", node: { id: "a", type: "delay", seconds: 2 } }, 700],
      [{ do: "change", id: "a", node: { id: "a", type: "delay", seconds: 20 } }, 900],
      [{ do: "change", id: "a", node: { id: "a", type: "delay", seconds: 200 } }, 9_000],
    ]);
    const names = history.past.map(({ name, definition }) => `${name} ${JSON.stringify(definition.nodes[0])}`);
    expect(names.map((text) => /^(.*) \{.*"seconds":(\d+)/u.exec(text)?.slice(1).join(" "))).toEqual([
      "a workflow 1",
      "bc 1",
      "bc 20",
    ]);
  });

  test("undoes and redoes steps, and a new change drops the redo steps", () => {
    let history = historyOf([
      [rename("b"), 0],
      [{ do: "add", node: wait("n"), into: null }, 0],
    ]);
    history = reduceHistory(history, { type: "undo" });
    expect(shape(history.draft)).toBe("a");
    history = reduceHistory(history, { type: "undo" });
    expect(history.draft).toBe(start);
    expect(reduceHistory(history, { type: "undo" })).toBe(history);
    history = reduceHistory(reduceHistory(history, { type: "redo" }), { type: "redo" });
    expect(shape(history.draft)).toBe("a n");
    history = reduceHistory(reduceHistory(history, { type: "undo" }), {
      type: "command",
      command: rename("z"),
      now: 0,
    });
    expect(history.future).toEqual([]);
  });

  test("has no step for a command that changes nothing", () => {
    expect(
      historyOf([
        [rename("a workflow"), 0],
        [{ do: "remove", ids: ["gone"] }, 0],
      ]).past,
    ).toEqual([]);
  });
});
