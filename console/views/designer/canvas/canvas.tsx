import "@xyflow/react/dist/style.css";
import { useComputedColorScheme } from "@mantine/core";
import { useCallbackRef } from "@mantine/hooks";
import { Background, Controls, MiniMap, ReactFlow, useReactFlow, useStore } from "@xyflow/react";
import type {
  Connection,
  Edge as FlowEdge,
  EdgeChange,
  FinalConnectionState,
  NodeChange,
  OnNodeDrag,
} from "@xyflow/react";
import { useMemo, useRef, useState } from "react";
import type { DragEvent, MouseEvent as ReactMouseEvent } from "react";
import { useCancelDrag } from "./use-cancel-drag.ts";
import { minZoomOf, viewOf } from "../../../graph/first-view.ts";
import { NODE_HEIGHT, NODE_WIDTH } from "../../../graph/layout.ts";
import { ownOf } from "../../../graph/own-of.ts";
import { useDesigner } from "../designer-context.ts";
import { isSameEdge, whyNotConnect } from "../model/connect.ts";
import { containerOf } from "../model/graph-edit.ts";
import { absoluteBoxes, forEachAt } from "../model/boxes.ts";
import type { Box } from "../model/boxes.ts";
import { TRIGGER_ID } from "../model/trigger.ts";
import { NOTHING, onlyNode, selectionAfter } from "../selection.ts";
import { DRAGGED_KIND, readKind } from "../palette/dragged-kind.ts";
import { Card, TriggerCard } from "./card.tsx";
import { OutcomeEdge, StartEdge } from "./edge.tsx";
import { canvasEdges, canvasNodes, dragNodes } from "./elements.ts";
import type { CanvasEdge, CanvasNode, Dragged } from "./elements.ts";
import { keepSame } from "./keep-same.ts";
import { dropTarget, edgeAt, edgeOfConnection } from "./drop.ts";
import { FIT, useCanvasHandle } from "./use-canvas-handle.ts";
import type { CanvasHandle } from "./use-canvas-handle.ts";
import { useGlide } from "./use-glide.ts";
import { boundsOf } from "./view.ts";
import { designer } from "../../../strings/en/designer.ts";
import classes from "./canvas.module.css";

const text = designer.canvas;

const NODE_TYPES = { node: Card, trigger: TriggerCard };
const EDGE_TYPES = { edge: OutcomeEdge, start: StartEdge };
const MULTI_SELECTION_KEYS = ["Meta", "Control", "Shift"];
const MANY_NODES = 150;
/** Smaller workflows fit into the view: the map would only cover nodes. */
const MAP_FROM_NODES = 15;

interface CanvasProps {
  boxes: ReadonlyMap<string, Box>;
  /** After a change of this number the nodes glide to their places. */
  glides: number;
  onReady: (handle: CanvasHandle) => void;
  withMap: boolean;
  /** Opens the form of the selection: on a double click, or on a tap where the form is not next to the canvas. */
  onOpen: () => void;
  openOnTap: boolean;
  /** A short message over the canvas. */
  message: string | null;
}

/** The graph. It can be edited by mouse, touch and keyboard. */
export function Canvas({ boxes, glides, onReady, withMap, onOpen, openOnTap, message }: CanvasProps) {
  const { draft, run, selection, select, shown: problems, preview, readOnly, say, add, openPalette } = useDesigner();
  const { definition } = draft;
  const colorMode = useComputedColorScheme("light");
  const flow = useReactFlow<CanvasNode, CanvasEdge>();
  const [dragged, setDragged] = useState<Dragged>({});
  const [dropOn, setDropOn] = useState<string | null>(null);

  const shown = useGlide(boxes, glides);
  const drawn = useMemo(
    () => ({ draft, boxes: shown, selection, problems, preview, dropOn, readOnly }),
    [draft, shown, selection, problems, preview, dropOn, readOnly],
  );
  const [[keepNodes, keepEdges]] = useState(() => [keepSame<CanvasNode>(), keepSame<CanvasEdge>()] as const);
  const nodesAtRest = useMemo(() => keepNodes(canvasNodes(drawn)), [drawn, keepNodes]);
  const nodes = useMemo(() => dragNodes(nodesAtRest, dragged), [nodesAtRest, dragged]);
  const edges = useMemo(() => keepEdges(canvasEdges(drawn)), [drawn, keepEdges]);

  const frame = useRef<HTMLDivElement>(null);
  // A forEach contains its nodes, whose boxes are relative to it.
  const all = () =>
    boundsOf([TRIGGER_ID, ...definition.nodes.map(({ id }) => id)].flatMap((id) => boxes.get(id) ?? []));
  useCanvasHandle(frame, all, onReady);
  const minZoom = minZoomOf(all());

  const escape = useCancelDrag(Object.keys(dragged).length > 0, () => {
    setDragged({});
    setDropOn(null);
  });

  // Every node, handle and edge of React Flow looks at each changed prop: the callbacks stay the same functions.
  const onNodesChange = useCallbackRef((changes: NodeChange<CanvasNode>[]) => {
    const chosen = changes.flatMap((change) => (change.type === "select" ? [change] : []));
    if (chosen.length > 0) select((before) => selectionAfter(before, "nodes", chosen));
    const moved = changes.flatMap((change) =>
      change.type === "position" && change.dragging === true && change.position !== undefined
        ? [[change.id, change.position] as const]
        : [],
    );
    if (moved.length > 0 && !escape.isCancelled())
      setDragged((before) => ({ ...before, ...Object.fromEntries(moved) }));
  });
  const onEdgesChange = useCallbackRef((changes: EdgeChange<CanvasEdge>[]) => {
    const chosen = changes.flatMap((change) => (change.type === "select" ? [change] : []));
    if (chosen.length > 0) select((before) => selectionAfter(before, "edges", chosen));
  });

  const onNodeDrag = useCallbackRef<OnNodeDrag<CanvasNode>>((event, node, together) => {
    if (escape.isCancelled()) return;
    const at = pointOf(event);
    const ids = together.map(({ id }) => id);
    setDropOn(
      dropTarget(
        definition,
        boxes,
        { node: node.id, together: ids },
        { point: () => flow.screenToFlowPosition(at), edge: () => edgeAt(at, edges) },
      ),
    );
  });
  const onNodeDragStop = useCallbackRef<OnNodeDrag<CanvasNode>>((event, node, together) => {
    const ids = together.map(({ id }) => id);
    const point = flow.screenToFlowPosition(pointOf(event));
    const into = forEachAt(definition, boxes, point, new Set(ids));
    const edge = edges.find(({ id }) => id === dropOn)?.data?.edge ?? null;
    setDragged({});
    setDropOn(null);
    if (escape.over()) return;
    if (ids.every((id) => ownOf(dragged, id) === undefined)) return;
    const absolute = absoluteBoxes(definition, boxes);
    const origin = into === null ? { x: 0, y: 0 } : (absolute.get(into) ?? { x: 0, y: 0 });
    const moves = ids.filter((id) => id !== TRIGGER_ID && containerOf(definition, id) !== into);
    if (moves.length > 0) {
      const places = moves.map((id) => {
        const parent = absolute.get(containerOf(definition, id) ?? "") ?? { x: 0, y: 0 };
        const at = ownOf(dragged, id) ?? boxes.get(id) ?? { x: 0, y: 0 };
        return [id, { x: at.x + parent.x - origin.x, y: at.y + parent.y - origin.y }];
      });
      const cut = cutBy(moves);
      run({ do: "move", ids: moves, into, places: Object.fromEntries(places) });
      const moved = text.moved(moves, into);
      say(cut === 0 ? moved : text.movedAndCut(moved, cut));
      return;
    }
    if (edge !== null) run({ do: "splice", id: node.id, edge });
    else
      run({
        do: "place",
        places: Object.fromEntries(Object.entries(dragged).filter(([id]) => ids.includes(id))),
      });
  });
  const cutBy = (ids: readonly string[]) => {
    const moving = new Set(ids);
    return edges.filter(({ data }) => data?.edge != null && moving.has(data.edge.from) !== moving.has(data.edge.to))
      .length;
  };

  const onConnect = useCallbackRef((connection: Connection) => {
    const edge = edgeOfConnection(connection);
    if (edge !== null) run({ do: "connect", edge });
  });
  const isValidConnection = useCallbackRef((connection: Connection | FlowEdge) => {
    const edge = edgeOfConnection(connection);
    const isNew = edge !== null && !edges.some(({ data }) => data?.edge != null && isSameEdge(data.edge, edge));
    return isNew && whyNotConnect(definition, edge) === null;
  });
  const onConnectEnd = useCallbackRef((_event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    if (readOnly || state.fromHandle == null || state.isValid === true) return;
    const { nodeId, id, type } = state.fromHandle;
    if (state.toHandle != null) {
      const edge = edgeOfConnection(
        type === "source"
          ? { source: nodeId, sourceHandle: id ?? null, target: state.toHandle.nodeId }
          : { source: state.toHandle.nodeId, sourceHandle: state.toHandle.id ?? null, target: nodeId },
      );
      say((edge === null ? null : whyNotConnect(definition, edge)) ?? text.notConnected);
      return;
    }
    const edge = type === "source" ? edgeOfConnection({ source: nodeId, sourceHandle: id ?? null, target: "" }) : null;
    if (edge === null) return;
    // The edge was dropped on the empty canvas: the palette asks for the next node.
    openPalette({ after: { from: edge.from, on: edge.on }, into: containerOf(definition, edge.from) ?? null });
  });

  const onDragOver = (event: DragEvent) => {
    if (readOnly || !event.dataTransfer.types.includes(DRAGGED_KIND)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    const point = { x: event.clientX, y: event.clientY };
    const over = edgeAt(point, edges)?.id ?? forEachAt(definition, boxes, flow.screenToFlowPosition(point));
    if (over !== dropOn) setDropOn(over);
  };
  const onDrop = (event: DragEvent) => {
    const kind = readKind(event.dataTransfer);
    setDropOn(null);
    if (kind === null || readOnly) return;
    event.preventDefault();
    const screen = { x: event.clientX, y: event.clientY };
    const edge = edgeAt(screen, edges)?.data?.edge ?? null;
    if (edge !== null) {
      add(kind, { onEdge: edge, into: containerOf(definition, edge.from) ?? null });
      return;
    }
    const point = flow.screenToFlowPosition(screen);
    const into = forEachAt(definition, boxes, point);
    const origin = into === null ? { x: 0, y: 0 } : (absoluteBoxes(definition, boxes).get(into) ?? { x: 0, y: 0 });
    add(kind, { into, at: { x: point.x - origin.x - NODE_WIDTH / 2, y: point.y - origin.y - NODE_HEIGHT / 2 } });
  };

  return (
    <div ref={frame} className={classes["frame"]}>
      <ReactFlow<CanvasNode, CanvasEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        aria-label={text.label}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onPaneClick={() => select(NOTHING)}
        // A node that gets the focus by Tab or from a screen reader is selected.
        onFocus={({ target }) => {
          const id = target.classList.contains("react-flow__node") ? target.dataset["id"] : undefined;
          if (id !== undefined && target.matches(":focus-visible") && !selection.nodes.includes(id))
            select(onlyNode(id));
        }}
        onNodeClick={(event) => {
          if (openOnTap && !event.ctrlKey && !event.metaKey && !event.shiftKey) onOpen();
        }}
        onNodeDoubleClick={onOpen}
        onNodeDrag={onNodeDrag}
        onNodeDragStop={onNodeDragStop}
        onConnect={onConnect}
        onConnectEnd={onConnectEnd}
        isValidConnection={isValidConnection}
        onDragOver={onDragOver}
        onDragLeave={() => setDropOn(null)}
        onDrop={onDrop}
        colorMode={colorMode}
        onInit={() => {
          const area = frame.current?.getBoundingClientRect();
          const trigger = boxes.get(TRIGGER_ID);
          if (area === undefined || trigger === undefined) return;
          const middle = { x: trigger.x + NODE_WIDTH / 2, y: trigger.y };
          void flow.setViewport(viewOf(all(), middle, area));
        }}
        minZoom={minZoom}
        maxZoom={2}
        nodesDraggable={!readOnly}
        nodesConnectable={!readOnly}
        edgesFocusable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        multiSelectionKeyCode={MULTI_SELECTION_KEYS}
        connectionRadius={28}
        nodeDragThreshold={4}
        elevateNodesOnSelect={false}
        onlyRenderVisibleElements={nodes.length > MANY_NODES}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} fitViewOptions={{ ...FIT, minZoom }} />
        {withMap && nodes.length > MAP_FROM_NODES ? <CanvasMap all={all()} /> : null}
      </ReactFlow>
      <div role="status">{message === null ? null : <div className={classes["hint"]}>{message}</div>}</div>
    </div>
  );
}

/** A map of the workflow while a part of it is out of view. It covers the corner of the canvas. */
function CanvasMap({ all }: { all: Box }) {
  const isAllInView = useStore(({ transform: [x, y, zoom], width, height }) => {
    const [left, top] = [all.x * zoom + x, all.y * zoom + y];
    return left >= 0 && top >= 0 && left + all.width * zoom <= width && top + all.height * zoom <= height;
  });
  return isAllInView ? null : <MiniMap pannable zoomable ariaLabel={text.map} />;
}

function pointOf(event: MouseEvent | TouchEvent | ReactMouseEvent): { x: number; y: number } {
  if (!("touches" in event)) return { x: event.clientX, y: event.clientY };
  const touch = event.touches[0] ?? event.changedTouches[0];
  return { x: touch?.clientX ?? 0, y: touch?.clientY ?? 0 };
}
