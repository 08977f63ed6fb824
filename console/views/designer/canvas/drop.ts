import type { Edge } from "../../../../schema/contract/workflow.ts";
import { OUTCOMES } from "../../../graph/outcome-look.ts";
import { containerOf, graphIn } from "../model/graph-edit.ts";
import type { Draft } from "../model/commands.ts";
import { forEachAt } from "../model/boxes.ts";
import type { Box, Place } from "../model/boxes.ts";
import type { CanvasEdge } from "./elements.ts";

/** The edge of the draft under a point of the screen. */
export function edgeAt({ x, y }: { x: number; y: number }, edges: readonly CanvasEdge[]): CanvasEdge | null {
  for (const element of document.elementsFromPoint(x, y)) {
    const id = element.closest(".react-flow__edge")?.getAttribute("data-id");
    const edge = edges.find((one) => one.id === id);
    if (edge !== undefined && edge.data?.edge != null) return edge;
  }
  return null;
}

/**
 * The id of what takes the dragged nodes when they are dropped: a forEach that they are not in yet, or an edge that
 * takes a single node without edges into its middle. Null: they only change their position. What is under the pointer is
 * read only when it can matter: the browser has to bring its layout up to date for it.
 */
export function dropTarget(
  definition: Draft["definition"],
  boxes: ReadonlyMap<string, Box>,
  dragged: { node: string; together: readonly string[] },
  pointer: { point: () => Place; edge: () => CanvasEdge | null },
): string | null {
  const hasForEach = definition.nodes.some(({ type }) => type === "forEach");
  const into = hasForEach ? forEachAt(definition, boxes, pointer.point(), new Set(dragged.together)) : null;
  const container = containerOf(definition, dragged.node);
  // The trigger is in no graph.
  if (container === undefined) return null;
  if (container !== into) return into;
  const graph = graphIn(definition, container);
  const isFree = graph?.edges.every(({ from, to }) => from !== dragged.node && to !== dragged.node) ?? false;
  if (!isFree || dragged.together.length !== 1) return null;
  const edge = pointer.edge();
  const isHere = edge?.data?.edge != null && containerOf(definition, edge.data.edge.from) === container;
  return isHere ? edge.id : null;
}

/** A React Flow connection as an edge of the draft; null when it does not begin at an outcome. */
export function edgeOfConnection(connection: {
  source: string;
  sourceHandle?: string | null;
  target: string;
}): Edge | null {
  const on = Object.values(OUTCOMES)
    .flat()
    .find((outcome) => outcome === connection.sourceHandle);
  return on === undefined ? null : { from: connection.source, to: connection.target, on };
}
