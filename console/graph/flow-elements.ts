import type { Edge as FlowEdge, Node as FlowNode } from "@xyflow/react";
import type { NodeRunStatus } from "../../schema/contract/execution.ts";
import type { Node, Outcome } from "../../schema/contract/workflow.ts";
import { graph as text } from "../strings/en/graph.ts";
import type { Point } from "./edge-path.ts";
import type { GraphLayout } from "./layout.ts";
import { OUTCOME_COLORS } from "./outcome-look.ts";

/** Layers of a graph: edges, taken edges, nodes. Nodes are on top, so that no edge crosses an outcome's label. */
const LAYERS = 4;

/** The state of a node of the graph. */
export interface GraphNodeState {
  status: NodeRunStatus;
  /** The outcomes of all its runs: their edges were taken. */
  outcomes?: readonly Outcome[] | undefined;
  /** How many of its runs have each status, when it has several runs. */
  counts?: Partial<Record<NodeRunStatus, number>> | undefined;
  /** Replaces the node's description: "attempt 2", "waits for an agent". */
  note?: string | undefined;
}

export type GraphNodeStates = ReadonlyMap<string, GraphNodeState>;

export type DrawnNode = FlowNode<{ node: Node; state: GraphNodeState | null; shown: ReadonlySet<Outcome> }, "node">;

export type DrawnEdge = FlowEdge<{ points: readonly Point[] }, "routed">;

/** A layout as React Flow's nodes. */
export function flowNodes(
  layout: GraphLayout,
  states: GraphNodeStates | undefined,
  selected: string | null,
  selectable: boolean,
): DrawnNode[] {
  const leaving = Map.groupBy(layout.edges, ({ from }) => from);
  return layout.nodes.map(({ id, node, x, y, width, height, parentId, depth }) => {
    const state = states?.get(id) ?? null;
    return {
      id,
      type: "node",
      position: { x, y },
      width,
      height,
      ...(parentId === null ? {} : { parentId }),
      // A container is behind its nodes, and its edges are above its background.
      zIndex: depth * LAYERS + 2,
      selected: id === selected,
      selectable,
      ariaRole: selectable ? "button" : "group",
      data: { node, state, shown: new Set(leaving.get(id)?.map(({ on }) => on)) },
    };
  });
}

/** A layout as React Flow's edges. With states, taken edges are highlighted. */
export function flowEdges(layout: GraphLayout, states: GraphNodeStates | undefined): DrawnEdge[] {
  return layout.edges.map(({ id, from, to, on, points }) => {
    const taken = states?.get(from)?.outcomes?.includes(on) ?? false;
    const label = text.edge(from, on, to);
    const color = `var(--mantine-color-${OUTCOME_COLORS[on]}-7)`;
    return {
      id,
      source: from,
      target: to,
      sourceHandle: on,
      targetHandle: "in",
      type: "routed",
      data: { points },
      zIndex: (layout.byId.get(from)?.depth ?? 0) * LAYERS + (taken ? 1 : 0),
      style: {
        stroke: states === undefined || taken ? color : "var(--mantine-color-dimmed)",
        strokeWidth: taken ? 3 : 1.5,
        ...(states !== undefined && !taken ? { strokeDasharray: "4 4", opacity: 0.6 } : {}),
      },
      ariaLabel: taken ? text.taken(label) : label,
    };
  });
}
