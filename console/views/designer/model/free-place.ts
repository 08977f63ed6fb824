import type { Definition, Graph, Node } from "../../../../schema/contract/workflow.ts";
import { GAP_ACROSS, GAP_DOWN, NODE_HEIGHT, NODE_WIDTH } from "../../../graph/layout.ts";
import { BODY_CORNER, boxesOf } from "./boxes.ts";
import type { Box, Place } from "./boxes.ts";
import { outcomesOf } from "./connect.ts";
import { containerOf, graphIn, nodesOf } from "./graph-edit.ts";
import type { ContainerId } from "./graph-edit.ts";
import { TRIGGER_ID } from "./trigger.ts";

const COLUMN = NODE_WIDTH + GAP_ACROSS;
const ROW = NODE_HEIGHT + GAP_DOWN;
/** The least space between a new node and others, which outcome labels need below a node. */
const CLEAR_PX = 24;
/** How far a free place is looked for, in columns and rows. Places beside come before places below. */
const SHIFTS: readonly Place[] = [...range(-8, 8)]
  .flatMap((column) => [...range(-4, 16)].map((row) => ({ x: column * COLUMN, y: row * ROW })))
  .toSorted((a, b) => distance(a) - distance(b));

/** Gives every node without a place a free one beside its neighbours. Nodes with a place keep it. */
export function placeMissing(definition: Definition, places: Map<string, Place>): void {
  let missing = nodesOf(definition).filter(({ id }) => !places.has(id));
  while (missing.length > 0) {
    const next = missing.find((node) => isReady(definition, node, places)) ?? missing[0];
    if (next === undefined) return;
    place(definition, next, places);
    missing = missing.filter(({ id }) => id !== next.id);
  }
}

/** Content comes before its forEach, whose size depends on it, and a node after its predecessors. */
function isReady(definition: Definition, node: Node, places: ReadonlyMap<string, Place>): boolean {
  const graph = graphIn(definition, containerOf(definition, node.id) ?? null);
  const before = graph?.edges.filter(({ to }) => to === node.id) ?? [];
  const inner = node.type === "forEach" ? nodesOf(node.body).map(({ id }) => id) : [];
  return [...before.map(({ from }) => from), ...inner].every((id) => places.has(id) || id === node.id);
}

function place(definition: Definition, node: Node, places: Map<string, Place>): void {
  const container = containerOf(definition, node.id) ?? null;
  const graph = graphIn(definition, container);
  if (graph === null) return;
  const wish = wishFor(graph, node, container, places, boxesOf(definition, places));
  places.set(node.id, wish);
  const { x, y } = freeShift(definition, [node.id], places);
  places.set(node.id, { x: wish.x + x, y: wish.y + y });
}

/** Below its predecessor, above its successor, or between the two. The second outcome leads to the right. */
function wishFor(
  graph: Graph,
  node: Node,
  container: ContainerId,
  places: ReadonlyMap<string, Place>,
  boxes: ReadonlyMap<string, Box>,
): Place {
  const size = boxesOf({ nodes: [node], edges: [] }, new Map([...places, [node.id, BODY_CORNER]])).get(node.id);
  const { width, height } = size ?? { width: NODE_WIDTH, height: NODE_HEIGHT };
  const entering = graph.edges.find(({ from, to }) => to === node.id && boxes.has(from));
  const leaving = graph.edges.find(({ from, to }) => from === node.id && boxes.has(to));
  const [above, below] = [boxes.get(entering?.from ?? ""), boxes.get(leaving?.to ?? "")];
  const centred = (box: Box) => Math.round(box.x + (box.width - width) / 2);
  if (above !== undefined && entering !== undefined) {
    const bottom = above.y + above.height;
    if (below !== undefined && below.y > bottom) {
      return {
        x: Math.round((centred(above) + centred(below)) / 2),
        y: Math.round((bottom + below.y - height) / 2),
      };
    }
    const source = graph.nodes.find(({ id }) => id === entering.from);
    const side = source === undefined ? 0 : Math.max(0, outcomesOf(source).indexOf(entering.on));
    return { x: centred(above) + side * COLUMN, y: bottom + GAP_DOWN };
  }
  if (below !== undefined) return { x: centred(below), y: below.y - GAP_DOWN - height };
  if (container !== null) return BODY_CORNER;
  const trigger = places.get(TRIGGER_ID);
  return trigger === undefined ? { x: 0, y: 0 } : { x: trigger.x, y: trigger.y + ROW };
}

/** The least shift by which nodes of one graph, and the forEach nodes around them, overlap no other node. */
export function freeShift(definition: Definition, ids: readonly string[], places: ReadonlyMap<string, Place>): Place {
  const group = new Set(ids);
  const [first = ""] = ids;
  const container = containerOf(definition, first) ?? null;
  const boxes = boxesOf(definition, places);
  const own = ids.flatMap((id) => boxes.get(id) ?? []);
  const others = siblingBoxes(definition, container, group, boxes);
  const free = SHIFTS.filter((shift) => {
    const moved = own.map((box) => ({ ...box, x: box.x + shift.x, y: box.y + shift.y }));
    if (container !== null && moved.some(({ x, y }) => x < BODY_CORNER.x || y < BODY_CORNER.y)) return false;
    return !moved.some((box) => others.some((other) => overlap(box, other, CLEAR_PX)));
  });
  const fits = (shift: Place) => {
    const at = (id: string) => ({ x: (places.get(id)?.x ?? 0) + shift.x, y: (places.get(id)?.y ?? 0) + shift.y });
    return !growsOver(
      definition,
      container,
      boxesOf(definition, new Map([...places, ...ids.map((id) => [id, at(id)] as const)])),
    );
  };
  return (container === null ? free[0] : (free.find(fits) ?? free[0])) ?? besideAll(own, others);
}

/** Whether a forEach, or one around it, overlaps a node beside it. */
function growsOver(definition: Definition, container: ContainerId, boxes: ReadonlyMap<string, Box>): boolean {
  for (let id = container; id !== null; id = containerOf(definition, id) ?? null) {
    const box = boxes.get(id);
    const others = siblingBoxes(definition, containerOf(definition, id) ?? null, new Set([id]), boxes);
    if (box !== undefined && others.some((other) => overlap(box, other, 0))) return true;
  }
  return false;
}

function siblingBoxes(
  definition: Definition,
  container: ContainerId,
  without: ReadonlySet<string>,
  boxes: ReadonlyMap<string, Box>,
): Box[] {
  const ids = graphIn(definition, container)?.nodes.map(({ id }) => id) ?? [];
  if (container === null) ids.push(TRIGGER_ID);
  return ids.flatMap((id) => (without.has(id) ? [] : (boxes.get(id) ?? [])));
}

function besideAll(own: readonly Box[], others: readonly Box[]): Place {
  const right = Math.max(...others.map(({ x, width }) => x + width));
  return { x: right + GAP_ACROSS - Math.min(...own.map(({ x }) => x)), y: 0 };
}

function overlap(a: Box, b: Box, clear: number): boolean {
  return (
    a.x < b.x + b.width + clear &&
    b.x < a.x + a.width + clear &&
    a.y < b.y + b.height + clear &&
    b.y < a.y + a.height + clear
  );
}

function distance({ x, y }: Place): number {
  return Math.abs(x) * (x < 0 ? 1.01 : 1) + Math.abs(y) * (y < 0 ? 3 : 2.5);
}

function* range(first: number, last: number): Generator<number> {
  for (let value = first; value <= last; value += 1) yield value;
}
