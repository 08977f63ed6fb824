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

describe("a new node", () => {
  test.each([
    ["restart", [], "restart-1"],
    ["restart", ["restart-1", "restart-2"], "restart-3"],
    ["restart-1", ["restart-1"], "restart-2"],
    ["x".repeat(70), [], `${"x".repeat(59)}-1`],
  ])("is called by a name that says what it does: %s beside %j is %s", (base, taken, expected) => {
    expect(freshId(base, new Set(taken))).toBe(expected);
  });

  test("of every type has the shape of the contract, but for what only somebody can choose", () => {
    const types = ["condition", "delay", "approval", "errorHandler"] as const;
    const nodes = [
      ...types.map((type) => newNode({ type }, new Set(), "webhook")),
      newNode({ type: "action", action: "os.restartService" }, new Set(), "webhook"),
    ];
    expect(workflowInputSchema.safeParse(draft(nodes)).error).toBeUndefined();
    expect(nodes.map(({ id }) => id)).toEqual(["check-1", "wait-1", "approve-1", "on-error-1", "restart-service-1"]);
  });
});

describe("where nodes are drawn", () => {
  const nested = draft([wait("a"), each("f", [wait("x"), wait("y")]), wait("b")], ["a success f", "f success b"]);

  test("a node that is called like what every object has stands where the others do, too", () => {
    const { definition } = draft([wait("a"), wait("constructor")], ["a success constructor"], { a: { x: 40, y: 8 } });
    expect(placeNodes(definition).get("constructor")).toMatchObject({ x: 40, y: expect.any(Number) });
  });

  test("what somebody placed stays there, and what comes behind goes along without lying on it", () => {
    const boxes = placeNodes({ ...nested.definition, layout: { a: { x: 1_000, y: 500 } } });
    expect(boxes.get("a")).toMatchObject({ x: 1_000, y: 500 });
    const [a, f, b] = ["a", "f", "b"].map((id) => boxes.get(id));
    if (a === undefined || f === undefined || b === undefined) throw new Error("a node has no place");
    expect(f.x).toBeGreaterThan(700);
    expect(f.y).toBeGreaterThanOrEqual(a.y + a.height);
    expect(b.y).toBeGreaterThanOrEqual(f.y + f.height);
  });

  test("a forEach is as large as what is in it, wherever that was put", () => {
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

  test("arrows go along edges, into a forEach and out of it, and to what stands beside", () => {
    const boxes = placeNodes(nested.definition);
    const path = (from: string, ...directions: ("up" | "down" | "left" | "right")[]) =>
      directions.reduce<string | null>(
        (at, way) => (at === null ? null : neighbour(nested.definition, boxes, at, way)),
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

describe("problems", () => {
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
  ])("%s belongs to %s", (path, nodeId, within) => {
    expect(placeProblems({ definition, ...rest }, [{ path, message: "!" }], "error")).toMatchObject([
      { nodeId, within },
    ]);
  });
});

test("two drafts are the same whatever the order of their fields, and with no description or an empty one", () => {
  const one = draft([wait("a")]);
  const { name, trigger, definition } = one;
  expect(isSameDraft(one, { definition, trigger, description: "", name })).toBe(true);
  expect(isSameDraft(one, { ...one, name: "another" })).toBe(false);
  expect(nodesOf(definition)).toHaveLength(1);
});

test("what says the same is the same object as before, and nothing else is", () => {
  const keep = keepSame<{ id: string; data: { words: string[]; x?: number | undefined } }>();
  const first = keep([
    { id: "a", data: { words: ["one"] } },
    { id: "b", data: { words: [] } },
  ]);
  const second = keep([
    { id: "a", data: { words: ["one"] } },
    { id: "b", data: { words: ["two"] } },
  ]);
  expect(second[0]).toBe(first[0]);
  expect(second[1]).toEqual({ id: "b", data: { words: ["two"] } });
  expect(keep([{ id: "a", data: { words: ["one"], x: undefined } }])[0]).not.toBe(first[0]);
});
