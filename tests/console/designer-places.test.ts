import { describe, expect, test } from "bun:test";
import { keepSame } from "../../console/views/designer/canvas/keep-same.ts";
import type { Draft } from "../../console/views/designer/model/commands.ts";
import { nodesOf } from "../../console/views/designer/model/graph-edit.ts";
import { freshId } from "../../console/views/designer/model/ids.ts";
import { neighbour } from "../../console/views/designer/model/neighbours.ts";
import { newNode } from "../../console/views/designer/model/new-node.ts";
import { placeNodes } from "../../console/views/designer/model/places.ts";
import { placeProblems } from "../../console/views/designer/model/problems.ts";
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

  test("a node that was placed manually stays there, and its successors follow without overlap", () => {
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
  expect(keep([{ id: "a", data: { texts: ["one"], x: undefined } }])[0]).not.toBe(first[0]);
});
