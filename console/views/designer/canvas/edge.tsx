import { ActionIcon } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { BaseEdge, EdgeLabelRenderer, getSmoothStepPath, useReactFlow } from "@xyflow/react";
import type { EdgeProps } from "@xyflow/react";
import { useState } from "react";
import type { Edge } from "../../../../schema/contract/workflow.ts";
import { NODE_HEIGHT, NODE_WIDTH } from "../../../graph/layout.ts";
import { useDesigner } from "../designer-context.ts";
import type { Box, Place } from "../model/boxes.ts";
import type { CanvasEdge, CanvasNode } from "./elements.ts";
import { roundPath, startPoints } from "./start-path.ts";
import { designer } from "../../../strings/en/designer.ts";
import classes from "./canvas.module.css";

const text = designer.canvas;

/** An edge of the draft: it can be selected, and a node can be inserted into it. */
export function OutcomeEdge(props: EdgeProps<CanvasEdge>) {
  const { id, data, selected, style, sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition } = props;
  const [hovered, setHovered] = useState(false);
  const [path, labelX, labelY] = getSmoothStepPath({
    sourceX,
    sourceY,
    sourcePosition,
    targetX,
    targetY,
    targetPosition,
    borderRadius: 10,
  });
  const edge = data?.edge ?? null;
  const wide = selected === true || data?.drop === true;
  return (
    <g onMouseEnter={() => setHovered(true)} onMouseLeave={() => setHovered(false)}>
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={24}
        style={{ ...style, strokeWidth: wide ? 4 : hovered ? 3 : 2 }}
      />
      {edge === null || !(hovered || selected === true) ? null : (
        <Insert edge={edge} x={labelX} y={labelY} onHover={setHovered} />
      )}
    </g>
  );
}

/**
 * The dotted line from the trigger to a node that it starts. While one of them is dragged, the line follows. The other
 * lines find their new way after the drop.
 */
export function StartEdge({ id, data, source, target, style = {} }: EdgeProps<CanvasEdge>) {
  const flow = useReactFlow<CanvasNode, CanvasEdge>();
  const [from, to] = [flow.getNode(source), flow.getNode(target)];
  if (data?.edge !== null || from === undefined || to === undefined) return null;
  const ends = startPoints(boxOf(from), boxOf(to), []);
  const rests = isSame(ends.at(0), data.points.at(0)) && isSame(ends.at(-1), data.points.at(-1));
  const points = rests ? data.points : startPoints(boxOf(from), boxOf(to), boxesBeside(flow.getNodes(), target));
  return <BaseEdge id={id} path={roundPath(points)} style={style} />;
}

function isSame(a: Place | undefined, b: Place | undefined): boolean {
  return a?.x === b?.x && a?.y === b?.y;
}

/** The boxes that the line to `target` goes around. */
function boxesBeside(nodes: readonly CanvasNode[], target: string): Box[] {
  return nodes
    .filter(({ id, type, parentId }) => id !== target && type === "node" && parentId === undefined)
    .map(boxOf);
}

function boxOf({ position, width = NODE_WIDTH, height = NODE_HEIGHT }: CanvasNode): Box {
  return { ...position, width, height };
}

/** Only this component reads the designer's context: otherwise every keystroke would render every edge again. */
function Insert(props: { edge: Edge; x: number; y: number; onHover: (hovered: boolean) => void }) {
  const { edge, x, y, onHover } = props;
  const { openPalette, readOnly } = useDesigner();
  if (readOnly) return null;
  return (
    <EdgeLabelRenderer>
      <ActionIcon
        className={["nodrag", "nopan", classes["insert"]].join(" ")}
        style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        size={22}
        radius="xl"
        variant="default"
        tabIndex={-1}
        aria-label={text.insert(text.edge(edge.from, edge.on, edge.to))}
        onMouseEnter={() => onHover(true)}
        onMouseLeave={() => onHover(false)}
        onClick={() => openPalette({ onEdge: edge })}
      >
        <IconPlus size={14} aria-hidden />
      </ActionIcon>
    </EdgeLabelRenderer>
  );
}
