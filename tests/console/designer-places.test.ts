import { describe, expect, test } from "bun:test";
import { keepSame } from "../../console/views/designer/canvas/keep-same.ts";
import { apply } from "../../console/views/designer/model/commands.ts";
import type { Draft } from "../../console/views/designer/model/commands.ts";
import { takeFragment } from "../../console/views/designer/model/fragment.ts";
import { nodesOf } from "../../console/views/designer/model/graph-edit.ts";
import { freshId } from "../../console/views/designer/model/ids.ts";
import { neighbour } from "../../console/views/designer/model/neighbours.ts";
import { newNode } from "../../console/views/designer/model/new-node.ts";
import { placeNodes, settled } from "../../console/views/designer/model/places.ts";
import { placeProblems } from "../../console/workflow-forms/draft-problems.ts";
import { isSameDraft } from "../../console/views/designer/model/same.ts";
import { workflowInputSchema } from "../../schema/contract/management.ts";
import type { Definition, Edge, Node } from "../../schema/contract/workflow.ts";

const wait = (id: string): Node => ({ id, type: "delay", seconds: 1 });
const each = (id: string, nodes: Node[], edges: Edge[] = []): Node => ({
  id,
  type: "forEach",
  items: "{{webhook.hosts}}",
  body: { nodes, edges },
});
const edge = (text: string): Edge => {
  const [from = "", , to = ""] = text.split(" ");
  return { from, to, on: "success" };
};
const draft = (nodes: Node[], edges: string[] = [], layout?: Definition["layout"]): Draft => ({
  name: "a workflow",
  trigger: { type: "webhook" },
  definition: { nodes, edges: edges.map(edge), ...(layout === undefined ? {} : { layout }) },
});

describe("a new node of the designer", () => {
  test.each([
    ["restart", [], "restart-1"],
    ["restart", ["restart-1", "restart-2"], "restart-3"],
    ["restart-1", ["restart-1"], "restart-2"],
    ["x".repeat(70), [], `${"x".repeat(59)}-1`],
  ])("with the stem %s gets an unused id: besides %j it is %s", (base, taken, expected) => {
    expect(freshId(base, new Set(taken))).toBe(expected);
  });

  test("of every type matches the contract, except for choices that a person must make", () => {
    const types = ["condition", "delay", "approval", "errorHandler"] as const;
    const nodes = [
      ...types.map((type) => newNode({ type }, new Set(), "webhook")),
      newNode({ type: "action", action: "os.restartService" }, new Set(), "webhook"),
    ];
    expect(workflowInputSchema.safeParse(draft(nodes)).error).toBeUndefined();
    expect(nodes.map(({ id }) => id)).toEqual(["check-1", "wait-1", "approve-1", "on-error-1", "restart-service-1"]);
  });
});

describe("the positions of nodes in the designer", () => {
  const nested = draft([wait("a"), each("f", [wait("x"), wait("y")]), wait("b")], ["a success f", "f success b"]);

  test("a node with the id `constructor` gets a position like any other", () => {
    const { definition } = draft([wait("a"), wait("constructor")], ["a success constructor"], { a: { x: 40, y: 8 } });
    expect(placeNodes(definition).get("constructor")).toMatchObject({ x: 40, y: expect.any(Number) });
  });

  test("a node with a position stays there, and nodes without one go below it without overlap", () => {
    const boxes = placeNodes({ ...nested.definition, layout: { a: { x: 1_000, y: 500 } } });
    expect(boxes.get("a")).toMatchObject({ x: 1_000, y: 500 });
    const [a, f, b] = ["a", "f", "b"].map((id) => boxes.get(id));
    if (a === undefined || f === undefined || b === undefined) throw new Error("a node has no place");
    expect(f.x).toBeGreaterThan(700);
    expect(f.y).toBeGreaterThanOrEqual(a.y + a.height);
    expect(b.y).toBeGreaterThanOrEqual(f.y + f.height);
  });

  test("a forEach contains its nodes wherever they were placed", () => {
    const boxes = placeNodes({ ...nested.definition, layout: { x: { x: -500, y: -90 }, y: { x: 900, y: 700 } } });
    const container = boxes.get("f");
    for (const id of ["x", "y"]) {
      const inner = boxes.get(id);
      if (inner === undefined || container === undefined) throw new Error("a node has no place");
      expect(inner.x).toBeGreaterThanOrEqual(0);
      expect(inner.y).toBeGreaterThanOrEqual(0);
      expect(inner.x + inner.width).toBeLessThanOrEqual(container.width);
      expect(inner.y + inner.height).toBeLessThanOrEqual(container.height);
    }
  });

  const condition: Node = { id: "if", type: "condition", when: { logic: "all", conditions: [] } };
  const at = (x: number, y: number) => ({ x, y });
  test.each<[string, Draft, Parameters<typeof apply>[1], { x: number; y: number }]>([
    ["as the first one goes below the trigger", draft([]), { do: "add", node: wait("n"), into: null }, at(0, 0)],
    [
      "after another one goes below it",
      draft([wait("a")], [], { a: at(40, 30) }),
      { do: "add", node: wait("n"), into: null, after: { from: "a", on: "success" } },
      at(40, 158),
    ],
    [
      "by the second outcome goes to the right below it",
      draft([condition], [], { if: at(40, 30) }),
      { do: "add", node: wait("n"), into: null, after: { from: "if", on: "false" } },
      at(324, 158),
    ],
    [
      "between two others goes beside them, where they leave no room",
      draft([wait("a"), wait("b")], ["a success b"], { a: at(0, 0), b: at(0, 128) }),
      { do: "add", node: wait("n"), into: null, onEdge: edge("a success b") },
      at(284, 64),
    ],
    [
      "between two others goes into the middle, where they leave room",
      draft([wait("a"), wait("b")], ["a success b"], { a: at(0, 0), b: at(100, 300) }),
      { do: "add", node: wait("n"), into: null, onEdge: edge("a success b") },
      at(50, 150),
    ],
    [
      "where it is dropped stays there",
      draft([wait("a")], [], { a: at(0, 0) }),
      { do: "add", node: wait("n"), into: null, at: at(10, 20) },
      at(10, 20),
    ],
    [
      "without an edge goes beside the first one",
      draft([wait("a")], [], { a: at(0, 0), "@trigger": at(0, -128) }),
      { do: "add", node: wait("n"), into: null },
      at(284, 0),
    ],
    [
      "in a forEach goes where the forEach does not grow over the node below it",
      draft([each("f", [wait("x")]), wait("b")], ["f success b"], { f: at(0, 0), x: at(20, 84), b: at(0, 256) }),
      { do: "add", node: wait("n"), into: "f", after: { from: "x", on: "success" } },
      at(304, 84),
    ],
  ])("a new node %s", (_what, before, command, expected) => {
    const { layout } = apply(before, command).definition;
    expect(layout?.["n"]).toEqual(expected);
    expect(layout).toMatchObject(before.definition.layout ?? {});
  });

  test("pasted nodes keep their order and overlap no other node", () => {
    const before = draft([wait("a"), wait("b")], ["a success b"], { a: at(0, 0), b: at(0, 128) });
    const fragment = takeFragment(before.definition, ["a", "b"]);
    if (fragment === null) throw new Error("nothing was copied");
    const { layout } = apply(before, { do: "paste", fragment, into: null }).definition;
    expect(layout).toMatchObject({ a: at(0, 0), b: at(0, 128), "a-1": at(284, 0), "b-1": at(284, 128) });
  });

  test("a draft without positions, such as a YAML text, keeps those of the draft before it", () => {
    const before = draft([wait("a"), wait("b")], [], { a: at(0, 0), b: at(500, 40) });
    const after = apply(before, { do: "replace", draft: draft([wait("a"), wait("b"), wait("n")], ["b success n"]) });
    expect(after.definition.layout).toMatchObject({ a: at(0, 0), b: at(500, 40), n: at(500, 168) });
    const given = draft([wait("a")], [], { a: at(7, 8) });
    expect(apply(before, { do: "replace", draft: given })).toEqual(given);
  });

  test("a node that is dropped outside of its forEach's body goes to the border, and no other node moves", () => {
    const before = draft([each("f", [wait("x"), wait("y")])], [], { f: at(0, 0), x: at(20, 84), y: at(20, 212) });
    const { layout } = apply(before, { do: "place", places: { y: at(-50, 10) } }).definition;
    expect(layout).toMatchObject({ f: at(0, 0), x: at(20, 84), y: at(20, 84) });
  });

  test("the trigger keeps its place when the nodes that it starts are moved", () => {
    const before = settled(draft([wait("a")]).definition);
    expect(before.layout?.["@trigger"]).toEqual(at(0, -128));
    const moved = apply({ ...draft([]), definition: before }, { do: "place", places: { a: at(500, 700) } });
    expect(moved.definition.layout).toEqual({ "@trigger": at(0, -128), a: at(500, 700) });
  });

  test("a command keeps the positions of existing nodes as whole pixels", () => {
    const chain = draft([wait("a"), wait("b"), wait("c")], ["a success b", "b success c"]);
    const placed = apply(chain, { do: "place", places: { a: { x: 1.4, y: 2.6 }, b: { x: 9e9, y: 0 } } });
    expect(placed.definition.layout).toEqual({
      "@trigger": { x: 0, y: -128 },
      a: { x: 1, y: 3 },
      b: { x: 100_000, y: 0 },
      c: { x: 0, y: 256 },
    });
    expect(Object.keys(apply(placed, { do: "remove", ids: ["b"] }).definition.layout ?? {}).toSorted()).toEqual(
      ["@trigger", "a", "c"].toSorted(),
    );
    const arranged = apply(placed, { do: "arrange" });
    expect(arranged.definition.layout).toEqual(settled(chain.definition).layout);
    expect(apply(arranged, { do: "arrange" })).toBe(arranged);
    expect(workflowInputSchema.safeParse(placed).success).toBe(true);
  });

  test("arrow keys go along edges, into and out of a forEach, and to nodes on either side", () => {
    const boxes = placeNodes(nested.definition);
    const path = (from: string, ...directions: ("up" | "down" | "left" | "right")[]) =>
      directions.reduce<string | null>(
        (at, direction) => (at === null ? null : neighbour(nested.definition, boxes, at, direction)),
        from,
      );
    expect(path("@trigger", "down")).toBe("a");
    expect(path("a", "down", "down")).toBe("x");
    expect(path("x", "right")).toBe("y");
    expect(path("x", "up")).toBe("f");
    expect(path("b", "up", "up", "up")).toBe("@trigger");
    expect(path("y", "right")).toBeNull();
  });
});

describe("problems in the designer", () => {
  const { definition, ...rest } = draft(
    [wait("a"), each("f", [wait("x"), each("g", [wait("deep")])])],
    ["a success f"],
  );
  test.each([
    ["definition.nodes.0.seconds", "a", "seconds"],
    ["definition.nodes.1.body.nodes.1.body.nodes.0.params.script", "deep", "params.script"],
    ["definition.nodes.1.items", "f", "items"],
    ["definition.nodes.1.body.nodes", "f", "nodes"],
    ["definition.edges.0.to", "a", ""],
    ["definition.layout.x.x", "x", ""],
    ["definition.nodes", null, "nodes"],
    ["trigger.expression", null, "expression"],
    ["name", null, ""],
  ])("at %s belong to the node %s", (path, nodeId, within) => {
    expect(placeProblems({ definition, ...rest }, [{ path, message: "!" }], "error")).toMatchObject([
      { nodeId, within },
    ]);
  });
});

test("two drafts are equal with another order of fields, and with an empty description or none", () => {
  const one = draft([wait("a")]);
  const { name, trigger, definition } = one;
  expect(isSameDraft(one, { definition, trigger, description: "", name })).toBe(true);
  expect(isSameDraft(one, { ...one, name: "another" })).toBe(false);
  expect(nodesOf(definition)).toHaveLength(1);
});

test("an item of a canvas list is the same object as before only if it is equal", () => {
  const keep = keepSame<{ id: string; data: { texts: string[]; x?: number | undefined } }>();
  const first = keep([
    { id: "a", data: { texts: ["one"] } },
    { id: "b", data: { texts: [] } },
  ]);
  const second = keep([
    { id: "a", data: { texts: ["one"] } },
    { id: "b", data: { texts: ["two"] } },
  ]);
  expect(second[0]).toBe(first[0]);
  expect(second[1]).toEqual({ id: "b", data: { texts: ["two"] } });
  expect(keep(structuredClone(second))).toBe(second);
  expect(keep(structuredClone(second.slice(1)))).toEqual(second.slice(1));
  expect(keep([{ id: "a", data: { texts: ["one"], x: undefined } }])[0]).not.toBe(first[0]);
});
