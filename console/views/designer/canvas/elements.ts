import type { Edge as FlowEdge, Node as FlowNode, NodeHandle } from "@xyflow/react";
import { Position } from "@xyflow/react";
import type { NodePreview } from "../../../../schema/contract/dry-run.ts";
import type { Edge, Graph, Node, Outcome, Trigger } from "../../../../schema/contract/workflow.ts";
import { describeNode, nodeTitle } from "../../../graph/describe-node.ts";
import { NODE_HEIGHT, NODE_WIDTH, edgeId } from "../../../graph/layout.ts";
import { ownOf } from "../../../graph/own-of.ts";
import { ENTRY } from "../../../graph/node-handles.tsx";
import { OUTCOME_COLORS, outcomeAt } from "../../../graph/outcome-look.ts";
import { isError } from "../../../workflow-forms/problems.ts";
import type { Draft } from "../model/commands.ts";
import { outcomesOf } from "../model/connect.ts";
import { rootsOf } from "../model/neighbours.ts";
import type { Box, Place } from "../model/boxes.ts";
import { isOfTrigger } from "../../../workflow-forms/draft-problems.ts";
import type { DraftProblem } from "../../../workflow-forms/draft-problems.ts";
import { TRIGGER_ID, describeTrigger } from "../model/trigger.ts";
import type { Selection } from "../selection.ts";
import { startPoints } from "./start-path.ts";
import { designer } from "../../../strings/en/designer.ts";
import { common } from "../../../strings/en/common.ts";
import { dryRun } from "../../../strings/en/dry-run.ts";

const text = designer.canvas;

export type CardNode = FlowNode<
  { node: Node; outcomes: readonly Outcome[]; preview: NodePreview | null; drop: boolean } & Found,
  "node"
>;
export type TriggerNode = FlowNode<{ trigger: Trigger } & Found, "trigger">;
export type CanvasNode = CardNode | TriggerNode;
export type CanvasEdge = FlowEdge<
  { edge: Edge; drop: boolean } | { edge: null; drop: false; points: readonly Place[] }
>;

/** Messages about a node or the trigger. */
export type Found = { problems: readonly string[]; warnings: readonly string[] };

export const HANDLE_PX = 14;
const OUT = "out";

interface Drawn {
  draft: Draft;
  boxes: ReadonlyMap<string, Box>;
  selection: Selection;
  problems: readonly DraftProblem[];
  preview: ReadonlyMap<string, NodePreview> | null;
  /** The id of the forEach or edge that takes the dragged nodes. */
  dropOn: string | null;
  readOnly: boolean;
}

/** The draft as React Flow's nodes, containers before their content. */
export function canvasNodes(drawn: Drawn): CanvasNode[] {
  const { draft, boxes, selection } = drawn;
  const byNode = Map.groupBy(drawn.problems, ({ nodeId, path }) => (isOfTrigger(path) ? TRIGGER_ID : (nodeId ?? "")));
  const foundAt = (id: string): Found => {
    const [problems, warnings] = [true, false].map((errors) =>
      (byNode.get(id) ?? [])
        .filter((one) => isError(one) === errors)
        .map(({ within, message }) => `${within} ${message}`.trim()),
    );
    return { problems: problems ?? [], warnings: warnings ?? [] };
  };
  const chosen = new Set(selection.nodes);
  const [tabStop = TRIGGER_ID] = selection.nodes;
  const shared = (id: string) => ({
    id,
    selected: chosen.has(id),
    // The canvas is one Tab stop; arrow keys move between nodes.
    domAttributes: { tabIndex: id === tabStop ? 0 : -1, "aria-current": chosen.has(id) },
  });
  const placeOf = (id: string): Place => {
    const { x, y } = boxOf(boxes, id);
    return { x, y };
  };
  const cards = (graph: Graph, parentId: string | null, depth: number): CanvasNode[] =>
    graph.nodes.flatMap((node) => {
      const box = boxes.get(node.id);
      if (box === undefined) return [];
      const { width, height } = box;
      const outcomes = outcomesOf(node, graph.edges);
      const found = foundAt(node.id);
      const preview = drawn.preview?.get(node.id) ?? null;
      const own: CanvasNode = {
        ...shared(node.id),
        type: "node",
        position: placeOf(node.id),
        width,
        height,
        measured: { width, height },
        handles: handlesOf({ width, height }, outcomes),
        ...(parentId === null ? {} : { parentId }),
        zIndex: depth * 2,
        ariaLabel: nodeLabel(node, found, preview),
        data: { node, outcomes, ...found, preview, drop: drawn.dropOn === node.id },
      };
      return node.type === "forEach" ? [own, ...cards(node.body, node.id, depth + 1)] : [own];
    });
  const found = foundAt(TRIGGER_ID);
  return [
    {
      ...shared(TRIGGER_ID),
      type: "trigger",
      position: placeOf(TRIGGER_ID),
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      measured: { width: NODE_WIDTH, height: NODE_HEIGHT },
      handles: [handle("source", OUT, NODE_WIDTH / 2, NODE_HEIGHT)],
      deletable: false,
      connectable: false,
      ariaLabel: text.trigger(
        common.triggers[draft.trigger.type],
        describeTrigger(draft.trigger),
        found.problems.length,
        found.warnings.length,
      ),
      data: { trigger: draft.trigger, ...found },
    },
    ...cards(draft.definition, null, 0),
  ];
}

/** The edges of the draft, and those from the trigger to the nodes that it starts. */
export function canvasEdges(drawn: Drawn): CanvasEdge[] {
  const { draft, boxes, selection, dropOn } = drawn;
  const chosen = new Set(selection.edges);
  const own = (graph: Graph, depth: number): CanvasEdge[] => {
    const here = new Set(graph.nodes.map(({ id }) => id));
    const edges = graph.edges
      .filter(({ from, to }) => here.has(from) && here.has(to))
      .map((edge): CanvasEdge => {
        const id = edgeId(edge);
        return {
          id,
          source: edge.from,
          target: edge.to,
          sourceHandle: edge.on,
          targetHandle: ENTRY,
          type: "edge",
          zIndex: depth * 2,
          selected: chosen.has(id),
          ariaLabel: text.edge(edge.from, edge.on, edge.to),
          style: { stroke: `var(--mantine-color-${OUTCOME_COLORS[edge.on]}-text)` },
          data: { edge, drop: dropOn === id },
        };
      });
    return [...edges, ...graph.nodes.flatMap((node) => (node.type === "forEach" ? own(node.body, depth + 1) : []))];
  };
  const begins = new Set(rootsOf(draft.definition));
  const entries = draft.definition.nodes
    .filter(({ id, type }) => begins.has(id) && type !== "errorHandler")
    .map(({ id }): CanvasEdge => ({
      id: `${TRIGGER_ID} ${id}`,
      source: TRIGGER_ID,
      target: id,
      sourceHandle: OUT,
      targetHandle: ENTRY,
      type: "start",
      selectable: false,
      deletable: false,
      ariaLabel: text.start(id),
      style: { stroke: "var(--mantine-color-dimmed)", strokeDasharray: "5 4" },
      data: {
        edge: null,
        drop: false,
        points: startPoints(
          boxOf(boxes, TRIGGER_ID),
          boxOf(boxes, id),
          draft.definition.nodes.flatMap((other) => (other.id === id ? [] : [boxOf(boxes, other.id)])),
        ),
      },
    }));
  return [...entries, ...own(draft.definition, 0)];
}

/** The positions of nodes while they are dragged. */
export type Dragged = Readonly<Record<string, Place>>;

/** During a drag, all other nodes are the same objects as before it, so that React Flow renders only what moves. */
export function dragNodes(nodes: CanvasNode[], dragged: Dragged): CanvasNode[] {
  if (Object.keys(dragged).length === 0) return nodes;
  return nodes.map((node): CanvasNode => {
    const position = ownOf(dragged, node.id);
    return position === undefined ? node : { ...node, position };
  });
}

function boxOf(boxes: ReadonlyMap<string, Box>, id: string): Box {
  return boxes.get(id) ?? { x: 0, y: 0, width: NODE_WIDTH, height: NODE_HEIGHT };
}

function handlesOf(size: { width: number; height: number }, outcomes: readonly Outcome[]): NodeHandle[] {
  return [
    handle("target", ENTRY, size.width / 2, 0),
    ...outcomes.map((on) => handle("source", on, (size.width * outcomeAt(outcomes, on)) / 100, size.height)),
  ];
}

/** Computed, not measured by React Flow: edges are right at the first paint, and while a forEach grows. */
function handle(type: "source" | "target", id: string, middle: number, edge: number): NodeHandle {
  return {
    id,
    type,
    position: type === "source" ? Position.Bottom : Position.Top,
    x: middle - HANDLE_PX / 2,
    y: edge - HANDLE_PX / 2,
    width: HANDLE_PX,
    height: HANDLE_PX,
  };
}

function nodeLabel(node: Node, { problems, warnings }: Found, preview: NodePreview | null): string {
  const runs = preview === null ? null : dryRun.runs[preview.runs];
  return text.step(nodeTitle(node), describeNode(node), problems.length, warnings.length, runs);
}
