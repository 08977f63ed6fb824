import { MiniMap, getNodesBounds, useStore } from "@xyflow/react";

/** A map of the workflow while a part of it is out of view. It covers the corner of the canvas. */
export function CanvasMap() {
  const isAllInView = useStore(({ nodes, nodeLookup, transform: [x, y, zoom], width, height }) => {
    const all = getNodesBounds(nodes, { nodeLookup });
    const [left, top] = [all.x * zoom + x, all.y * zoom + y];
    return left >= 0 && top >= 0 && left + all.width * zoom <= width && top + all.height * zoom <= height;
  });
  return isAllInView ? null : <MiniMap pannable zoomable ariaLabel="Map of the workflow" />;
}
