import "@xyflow/react/dist/style.css";
import { useComputedColorScheme } from "@mantine/core";
import { Background, Controls, ReactFlow } from "@xyflow/react";
import type { NodeChange } from "@xyflow/react";
import { useMemo, useRef } from "react";
import type { Graph } from "../../schema/contract/workflow.ts";
import { flowEdges, flowNodes } from "./flow-elements.ts";
import type { GraphNodeStates } from "./flow-elements.ts";
import { FlowEdge } from "./flow-edge.tsx";
import { FlowNode } from "./flow-node.tsx";
import { firstView } from "./first-view.ts";
import { layoutGraph } from "./layout.ts";
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
  "node.a11yDescription.default": "Press Enter to show this step.",
  "node.a11yDescription.keyboardDisabled": "Press Enter to show this step.",
} as const;

/** A read-only React Flow: nodes cannot be moved or connected. */
export default function Flow({
  definition,
  states,
  selected = null,
  onSelect,
  label = "The workflow as a graph",
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
        minZoom={0.05}
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
