import type { Definition, Edge } from "../../../../schema/contract/workflow.ts";
import { containerOf, graphIn } from "./graph-edit.ts";
import type { Box } from "./boxes.ts";
import { TRIGGER_ID } from "./trigger.ts";

export type Direction = "up" | "down" | "left" | "right";

/**
 * The node that an arrow key goes to: down along leaving edges and up along entering ones, into and out of a forEach;
 * left and right to the nearest node on that side. Null when there is no such node.
 */
export function neighbour(
  definition: Definition,
  boxes: ReadonlyMap<string, Box>,
  from: string,
  direction: Direction,
): string | null {
  if (from === TRIGGER_ID) return direction === "down" ? leftmost(rootsOf(definition), boxes) : null;
  const container = containerOf(definition, from);
  const graph = container === undefined ? null : graphIn(definition, container);
  if (container === undefined || graph === null) return null;
  const ends = (pick: (edge: Edge) => [string, string]) =>
    graph.edges.flatMap((edge) => (pick(edge)[0] === from ? [pick(edge)[1]] : []));
  if (direction === "down") {
    const node = graph.nodes.find(({ id }) => id === from);
    const body = node?.type === "forEach" ? rootsOf(node.body) : [];
    return (
      leftmost(body, boxes) ??
      leftmost(
        ends(({ from, to }) => [from, to]),
        boxes,
      )
    );
  }
  if (direction === "up") {
    return (
      leftmost(
        ends(({ from, to }) => [to, from]),
        boxes,
      ) ??
      container ??
      TRIGGER_ID
    );
  }
  return nearestOnSide(
    graph.nodes.map(({ id }) => id),
    boxes,
    from,
    direction,
  );
}

/** The ids of nodes without an entering edge. */
export function rootsOf({ nodes, edges }: Pick<Definition, "nodes" | "edges">): string[] {
  const entered = new Set(edges.map(({ to }) => to));
  return nodes.flatMap(({ id }) => (entered.has(id) ? [] : [id]));
}

function leftmost(ids: readonly string[], boxes: ReadonlyMap<string, Box>): string | null {
  const [first = null] = ids.toSorted((a, b) => (boxes.get(a)?.x ?? 0) - (boxes.get(b)?.x ?? 0));
  return first;
}

function nearestOnSide(
  ids: readonly string[],
  boxes: ReadonlyMap<string, Box>,
  from: string,
  direction: "left" | "right",
): string | null {
  const here = boxes.get(from);
  if (here === undefined) return null;
  const sign = direction === "right" ? 1 : -1;
  const distance = (id: string) => {
    const box = boxes.get(id);
    if (box === undefined || id === from || (box.x - here.x) * sign <= 0) return Infinity;
    // Vertical distance counts three times, so that nodes at the same height come first.
    return (box.x - here.x) * sign + 3 * Math.abs(box.y - here.y);
  };
  const [nearest] = ids.toSorted((a, b) => distance(a) - distance(b));
  return nearest === undefined || distance(nearest) === Infinity ? null : nearest;
}
