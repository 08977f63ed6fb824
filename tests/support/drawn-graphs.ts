import type { GraphLayout } from "../../console/graph/layout.ts";
import type { Edge, Graph, Node, Outcome } from "../../schema/contract/workflow.ts";

const bash = (id: string): Node => ({ id, type: "action", action: "script.bash", params: {}, timeoutSeconds: 300 });
export const condition = (id: string): Node => ({
  id,
  type: "condition",
  when: { logic: "all", conditions: [{ field: "webhook.healthy", operator: "exists" }] },
});
const delay = (id: string): Node => ({ id, type: "delay", seconds: 1 });
const approval = (id: string): Node => ({ id, type: "approval", message: "?" });
const handler = (id: string): Node => ({ id, type: "errorHandler" });

const OUTCOMES = ["success", "failure", "true", "false", "approved", "rejected"] as const;
function edges(...texts: string[]): Edge[] {
  return texts.map((text) => {
    const [from = "", on = "", to = ""] = text.split(" ");
    const outcome: Outcome | undefined = OUTCOMES.find((one) => one === on);
    if (outcome === undefined) throw new Error(`${text} has no outcome`);
    return { from, to, on: outcome };
  });
}

/** A workflow with a check, two branches that meet again, and an errorHandler. */
const checkout: Graph = {
  nodes: [
    bash("look"),
    condition("healthy"),
    bash("restart"),
    delay("settle"),
    bash("report"),
    handler("on-error"),
    bash("page"),
  ],
  edges: edges(
    "look success healthy",
    "healthy true settle",
    "healthy false restart",
    "restart success report",
    "settle success report",
    "on-error success page",
  ),
};

/** Conditions in a row; each branch ends or goes on. */
function ladder(steps: number): Graph {
  const numbers = Array.from({ length: steps }, (_, index) => index);
  return {
    nodes: numbers.flatMap((n) => [condition(`check${n}`), bash(`fix${n}`), approval(`ask${n}`), bash(`stop${n}`)]),
    edges: numbers.flatMap((n) => [
      ...edges(
        `check${n} true ask${n}`,
        `check${n} false fix${n}`,
        `ask${n} rejected stop${n}`,
        `fix${n} failure stop${n}`,
      ),
      ...(n + 1 < steps ? edges(`ask${n} approved check${n + 1}`, `fix${n} success check${n + 1}`) : []),
    ]),
  };
}

/** Rows of five nodes, with edges to the next row and past it. */
export function large(count: number): Graph {
  const ids = Array.from({ length: count }, (_, index) => `n${index}`);
  return {
    nodes: ids.map(bash),
    edges: ids.flatMap((to, index) =>
      [index - 5, index - 6, index - 12]
        .filter((earlier) => earlier >= 0 && (earlier + index) % 3 !== 0)
        .map((earlier, way): Edge => ({ from: `n${earlier}`, to, on: way === 0 ? "success" : "failure" })),
    ),
  };
}

export const GRAPHS = {
  checkout,
  "checkout after the failure of its restart is connected": {
    nodes: checkout.nodes,
    edges: [...checkout.edges, ...edges("restart failure page")],
  },
  "two branches, true connected first": {
    nodes: [condition("check"), bash("a"), bash("b")],
    edges: edges("check true a", "check false b"),
  },
  "two branches, false connected first": {
    nodes: [condition("check"), bash("a"), bash("b")],
    edges: edges("check false b", "check true a"),
  },
  "a branch past the next row": {
    nodes: [condition("check"), bash("b"), bash("c")],
    edges: edges("check true c", "check false b", "b success c"),
  },
  "a condition whose branches exchange their successors": {
    nodes: [condition("check"), bash("a"), bash("b"), bash("c"), bash("d")],
    edges: edges("check true a", "check false b", "a failure c", "a success d", "b success d", "b failure c"),
  },
  "a ladder of 20 nodes": ladder(5),
  "a ladder of 100 nodes": ladder(25),
  "100 nodes in rows": large(100),
  "200 nodes in rows": large(200),
} satisfies Record<string, Graph>;

/** How often two edges cross, apart from the nodes at which they meet. */
export function crossings({ edges }: GraphLayout): number {
  const parts = edges.map(({ points }) => points.slice(1).map((to, index) => [points[index] ?? to, to] as const));
  let count = 0;
  for (const [index, one] of parts.entries()) {
    for (const other of parts.slice(index + 1)) {
      for (const [a, b] of one) for (const [c, d] of other) if (doCross(a, b, c, d)) count += 1;
    }
  }
  return count;
}

interface Point {
  x: number;
  y: number;
}

function doCross(a: Point, b: Point, c: Point, d: Point): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

function side(from: Point, to: Point, point: Point): number {
  return Math.sign((to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x));
}
