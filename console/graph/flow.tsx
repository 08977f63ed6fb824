import "@xyflow/react/dist/style.css";
import { Group, useComputedColorScheme } from "@mantine/core";
import { Background, BaseEdge, Controls, ReactFlow } from "@xyflow/react";
import type { EdgeProps, NodeChange, NodeProps } from "@xyflow/react";
import { useMemo, useRef } from "react";
import type { Graph } from "../../schema/contract/workflow.ts";
import { graph as text } from "../strings/en/graph.ts";
import { svgPath } from "./edge-path.ts";
import { flowEdges, flowNodes } from "./flow-elements.ts";
import type { DrawnEdge, DrawnNode, GraphNodeStates } from "./flow-elements.ts";
import { firstView, minZoomOf } from "./first-view.ts";
import { layoutGraph } from "./layout.ts";
import { NodeHandles } from "./node-handles.tsx";
import { NodeCard } from "./node-look.tsx";
import { NodeStatus } from "./node-status.tsx";
import { nodeRunStatuses } from "./node-statuses.ts";
import classes from "./flow.module.css";

export interface FlowProps {
  definition: Graph;
  /** The states of nodes by id; a node without a state was not reached. */
  states?: GraphNodeStates | undefined;
  selected?: string | null | undefined;
  onSelect?: ((nodeId: string | null) => void) | undefined;
  /** The graph's name for screen readers. */
  label?: string;
  /** CSS: the greatest height; a smaller graph takes less. The width is all that is available. */
  height?: string | number;
}

const NODE_TYPES = { node: FlowNode };
const EDGE_TYPES = { routed: FlowEdge };
/** Space above and below a graph that fits. */
const AROUND_PX = 40;
const ARIA_LABELS = {
  "node.a11yDescription.default": text.select,
  "node.a11yDescription.keyboardDisabled": text.select,
} as const;

/** A read-only React Flow: nodes cannot be moved or connected. */
export default function Flow({
  definition,
  states,
  selected = null,
  onSelect,
  label = text.label,
  height = "30rem",
}: FlowProps) {
  const frame = useRef<HTMLElement>(null);
  const colorMode = useComputedColorScheme("light");
  const layout = useMemo(() => layoutGraph(definition), [definition]);
  const edges = useMemo(() => flowEdges(layout, states), [layout, states]);
  const nodes = useMemo(
    () => flowNodes(layout, states, selected, onSelect !== undefined),
    [layout, states, selected, onSelect],
  );
  const onNodesChange = (changes: NodeChange[]) => {
    for (const change of changes) {
      if (change.type === "select" && change.selected) onSelect?.(change.id);
    }
  };
  return (
    <section
      ref={frame}
      className={classes["frame"]}
      style={{
        height: `min(${typeof height === "number" ? `${height}px` : height}, ${layout.height + 2 * AROUND_PX}px)`,
      }}
      aria-label={label}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={onNodesChange}
        onPaneClick={() => onSelect?.(null)}
        colorMode={colorMode}
        onInit={(flow) => {
          const box = frame.current?.getBoundingClientRect();
          if (box !== undefined) void flow.setViewport(firstView(layout, selected, box));
        }}
        fitViewOptions={{ padding: 0.05, maxZoom: 1 }}
        minZoom={minZoomOf(layout)}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={onSelect !== undefined}
        edgesFocusable={false}
        elementsSelectable={onSelect !== undefined}
        deleteKeyCode={null}
        zoomOnScroll={false}
        preventScrolling={false}
        onlyRenderVisibleElements={layout.nodes.length > 150}
        ariaLabelConfig={ARIA_LABELS}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  );
}

/** A node of the read-only graph. */
function FlowNode({ data: { node, state, shown }, selected }: NodeProps<DrawnNode>) {
  const counts = state?.counts ?? {};
  return (
    <>
      <NodeHandles type={node.type} shown={shown} taken={state?.outcomes} />
      <NodeCard node={node} status={state?.status} selected={selected} subtitle={state?.note}>
        {state?.counts === undefined ? null : (
          <Group gap="xs" wrap="nowrap">
            {nodeRunStatuses.map((status) =>
              counts[status] === undefined ? null : <NodeStatus key={status} status={status} count={counts[status]} />,
            )}
          </Group>
        )}
      </NodeCard>
    </>
  );
}

/** An edge on the path of the layout. */
function FlowEdge({ id, data, style = {} }: EdgeProps<DrawnEdge>) {
  return <BaseEdge id={id} path={svgPath(data?.points ?? [])} style={style} />;
}
