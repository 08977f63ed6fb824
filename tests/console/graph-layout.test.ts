import { describe, expect, test } from "bun:test";
import { CONTAINER_HEADER, layoutGraph, originOf } from "../../console/graph/layout.ts";
import type { GraphLayout } from "../../console/graph/layout.ts";
import type { Edge, Graph, Node, Outcome } from "../../schema/contract/workflow.ts";
import { GRAPHS, crossings, large } from "../support/drawn-graphs.ts";

const delay = (id: string): Node => ({ id, type: "delay", seconds: 1 });
const edge = (from: string, to: string, on: Outcome = "success"): Edge => ({ from, to, on });
const forEach = (id: string, body: Graph): Node => ({ id, type: "forEach", items: "{{webhook.hosts}}", body });
const graph = (ids: string[], edges: Edge[] = []): Graph => ({ nodes: ids.map(delay), edges });

const NESTED: Graph = {
  nodes: [
    delay("first"),
    forEach("hosts", {
      nodes: [delay("check"), forEach("disks", graph(["clean"])), delay("report"), forEach("empty", graph([]))],
      edges: [
        edge("check", "disks"),
        edge("disks", "report", "failure"),
        edge("check", "empty", "failure"),
        edge("check", "report"),
      ],
    }),
    delay("beside"),
    delay("last"),
  ],
  edges: [
    edge("first", "hosts"),
    edge("first", "beside"),
    edge("hosts", "last"),
    edge("beside", "last"),
    edge("first", "last", "failure"),
  ],
};

function overlaps(layout: GraphLayout): string[] {
  const found: string[] = [];
  for (const [index, one] of layout.nodes.entries()) {
    for (const other of layout.nodes.slice(index + 1)) {
      if (one.parentId !== other.parentId) continue;
      const apart =
        one.x + one.width <= other.x ||
        other.x + other.width <= one.x ||
        one.y + one.height <= other.y ||
        other.y + other.height <= one.y;
      if (!apart) found.push(`${one.id} and ${other.id}`);
    }
  }
  return found;
}

function upwards({ edges, byId }: GraphLayout): string[] {
  return edges
    .filter(({ from, to }) => {
      const above = byId.get(from);
      const below = byId.get(to);
      return above === undefined || below === undefined || above.y + above.height >= below.y;
    })
    .map(({ id }) => id);
}

/** Edges whose path crosses a node that is not their container. */
function throughNodes(layout: GraphLayout): string[] {
  return layout.edges.flatMap(({ id, from, to, points }) => {
    const container = layout.byId.get(from)?.parentId ?? null;
    const beside = layout.nodes.filter((node) => node.parentId === container && node.id !== from && node.id !== to);
    const origin = originOf(container, layout.byId);
    return beside
      .filter(({ x, y, width, height }) =>
        points.some((point, index) => {
          const before = points[index - 1] ?? point;
          const [left, right] = [Math.min(before.x, point.x) - origin.x, Math.max(before.x, point.x) - origin.x];
          const [top, bottom] = [before.y - origin.y, point.y - origin.y];
          return left < x + width && right > x && top < y + height && bottom > y;
        }),
      )
      .map((node) => `${id} through ${node.id}`);
  });
}

function outside(layout: GraphLayout): string[] {
  return layout.nodes
    .filter((node) => {
      const container = node.parentId === null ? undefined : layout.byId.get(node.parentId);
      if (container === undefined) {
        return node.x < 0 || node.y < 0 || node.x + node.width > layout.width || node.y + node.height > layout.height;
      }
      return (
        node.x <= 0 ||
        node.y < CONTAINER_HEADER ||
        node.x + node.width >= container.width ||
        node.y + node.height >= container.height
      );
    })
    .map(({ id }) => id);
}

/** Crossings in Dagre's own order, with which every graph was drawn before. */
const CROSSED_BEFORE = {
  checkout: 1,
  "checkout after the failure of its restart is connected": 0,
  "two branches, true connected first": 1,
  "two branches, false connected first": 0,
  "a branch past the next row": 1,
  "a condition whose branches exchange their successors": 2,
  "a ladder of 20 nodes": 14,
  "a ladder of 100 nodes": 94,
  "100 nodes in rows": 57,
  "200 nodes in rows": 183,
} satisfies Record<keyof typeof GRAPHS, number>;

describe("the layout of a graph", () => {
  test.each(Object.entries(CROSSED_BEFORE))("of %s crosses at most %d edges", (name, before) => {
    const drawn = Object.entries(GRAPHS).find(([one]) => one === name)?.[1];
    if (drawn === undefined) throw new Error(`there is no graph ${name}`);
    const layout = layoutGraph(drawn);
    expect(crossings(layout)).toBeLessThanOrEqual(before);
    expect(overlaps(layout)).toEqual([]);
    expect(upwards(layout)).toEqual([]);
    expect(throughNodes(layout)).toEqual([]);
  });

  test.each<[Node, Outcome, Outcome]>([
    [{ id: "start", type: "condition", when: { logic: "all", conditions: [] } }, "true", "false"],
    [{ id: "start", type: "approval", message: "?" }, "approved", "rejected"],
    [forEach("start", graph(["inner"])), "success", "failure"],
  ])("has the branches of %o from left to right: %s, %s, in whichever order they were connected", (start, one, two) => {
    for (const edges of [
      [edge("start", "a", one), edge("start", "b", two)],
      [edge("start", "a", two), edge("start", "b", one)],
    ]) {
      const { byId } = layoutGraph({ nodes: [start, delay("a"), delay("b")], edges });
      const x = (on: Outcome) => byId.get(edges.find((edge) => edge.on === on)?.to ?? "")?.x ?? NaN;
      expect(x(one)).toBeLessThan(x(two));
    }
  });

  test.each([
    ["a single node", graph(["one"])],
    ["two unconnected nodes", graph(["one", "two"])],
    [
      "a diamond whose paths differ in length",
      graph(
        ["a", "b", "c", "d", "e"],
        [edge("a", "b"), edge("b", "c"), edge("c", "e"), edge("a", "d", "failure"), edge("d", "e")],
      ),
    ],
    ["two edges between the same nodes", graph(["a", "b"], [edge("a", "b", "success"), edge("a", "b", "failure")])],
    ["forEach in forEach", NESTED],
    ["200 nodes", large(200)],
  ])("of %s has no overlapping nodes, and every edge goes down", (_name, drawn) => {
    const layout = layoutGraph(drawn);
    expect(overlaps(layout)).toEqual([]);
    expect(upwards(layout)).toEqual([]);
    expect(outside(layout)).toEqual([]);
    expect(throughNodes(layout)).toEqual([]);
    expect(layoutGraph(drawn)).toEqual(layout);
  });

  test("lists containers before their content", () => {
    const { nodes } = layoutGraph(NESTED);
    const at = (id: string) => nodes.findIndex((node) => node.id === id);
    expect(nodes.map(({ id }) => id).toSorted()).toEqual(
      ["beside", "check", "clean", "disks", "empty", "first", "hosts", "last", "report"].toSorted(),
    );
    expect(at("hosts")).toBeLessThan(at("disks"));
    expect(at("disks")).toBeLessThan(at("clean"));
    const clean = nodes.find(({ id }) => id === "clean");
    expect(clean).toMatchObject({ parentId: "disks", depth: 2 });
  });

  test("works for a draft with errors", () => {
    const layout = layoutGraph({
      nodes: [delay("a"), delay("b"), delay("a")],
      edges: [edge("a", "b"), edge("b", "a"), edge("a", "a"), edge("a", "gone"), edge("a", "b")],
    });
    expect(layout.nodes.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(layout.edges.map(({ id }) => id)).toEqual(["a success b", "b success a", "a success a"]);
    expect(overlaps(layout)).toEqual([]);
    expect(layoutGraph({ nodes: [], edges: [] })).toMatchObject({ nodes: [], width: 0, height: 0 });
  });

  test("works for node ids such as `constructor`", () => {
    const ids = ["constructor", "toString", "hasOwnProperty", "valueOf", "__proto__"];
    const edges = [edge("constructor", "toString"), edge("toString", "valueOf"), edge("constructor", "__proto__")];
    const layout = layoutGraph(graph(ids, edges));
    expect(layout.nodes.map(({ id }) => id)).toEqual(ids);
    expect(overlaps(layout)).toEqual([]);
    expect(upwards(layout)).toEqual([]);
  });

  test("of 500 nodes has no overlap either", () => {
    const layout = layoutGraph(large(500));
    expect(overlaps(layout)).toEqual([]);
    expect(upwards(layout)).toEqual([]);
  });
});
