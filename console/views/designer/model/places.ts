import type { Definition, Graph, Layout } from "../../../../schema/contract/workflow.ts";
import { GAP_DOWN, NODE_HEIGHT, NODE_WIDTH, layoutGraph } from "../../../graph/layout.ts";
import { ownOf } from "../../../graph/own-of.ts";
import { boxesOf } from "./boxes.ts";
import type { Box, Place } from "./boxes.ts";
import { placeMissing } from "./free-place.ts";
import { nodesOf } from "./graph-edit.ts";
import { rootsOf } from "./neighbours.ts";
import { TRIGGER_ID } from "./trigger.ts";

/**
 * The box of the trigger and of every node. Nodes with a position stay there; a node without one gets a free place
 * beside its predecessor. In a definition without positions all nodes are arranged.
 */
export function placeNodes(definition: Definition, arranged?: Layout): Map<string, Box> {
  const { layout = {} } = definition;
  const places = new Map<string, Place>(
    Object.entries(hasPlaces(definition) ? layout : { ...(arranged ?? arrange(definition)), ...layout }),
  );
  placeMissing(definition, places);
  if (!places.has(TRIGGER_ID)) places.set(TRIGGER_ID, aboveNodes(definition, boxesOf(definition, places)));
  return boxesOf(definition, places);
}

/** The definition with a position for every node and for the trigger. */
export function settled(definition: Definition): Definition {
  const { layout = {} } = definition;
  const all = [TRIGGER_ID, ...nodesOf(definition).map(({ id }) => id)];
  if (all.every((id) => ownOf(layout, id) !== undefined)) return definition;
  const boxes = placeNodes(definition);
  return { ...definition, layout: Object.fromEntries([...boxes].map(([id, { x, y }]) => [id, { x, y }])) };
}

/** Whether any node has a position. */
export function hasPlaces({ layout = {} }: Definition): boolean {
  return Object.keys(layout).some((id) => id !== TRIGGER_ID);
}

/** The automatic positions. They depend only on the structure of the graph, not on fields of nodes. */
export function arrange(graph: Graph): Layout {
  return Object.fromEntries(layoutGraph(graph).nodes.map(({ id, x, y }) => [id, { x, y }]));
}

/** A key for the structure of a graph, on which the automatic positions depend. */
export function structureOf({ nodes, edges }: Graph): string {
  const inner = nodes.map((node) => (node.type === "forEach" ? `${node.id}(${structureOf(node.body)})` : node.id));
  return `${inner.join(",")};${edges.map(({ from, on, to }) => `${from} ${on} ${to}`).join(",")}`;
}

/** The trigger's place: above all nodes, centred over those that it starts. */
function aboveNodes(definition: Definition, boxes: ReadonlyMap<string, Box>): Place {
  const own = definition.nodes.flatMap(({ id }) => boxes.get(id) ?? []);
  const starts = rootsOf(definition).flatMap((id) => boxes.get(id) ?? []);
  const top = own.length === 0 ? 0 : Math.min(...own.map(({ y }) => y));
  const left = starts.length === 0 ? 0 : Math.min(...starts.map(({ x }) => x));
  const right = starts.length === 0 ? NODE_WIDTH : Math.max(...starts.map(({ x, width }) => x + width));
  return { x: Math.round((left + right - NODE_WIDTH) / 2), y: top - NODE_HEIGHT - GAP_DOWN };
}
