import { getViewportForBounds, useReactFlow } from "@xyflow/react";
import { useEffect, useRef } from "react";
import type { RefObject } from "react";
import type { Box } from "../model/boxes.ts";
import type { CanvasEdge, CanvasNode } from "./elements.ts";
import { motionMs } from "./use-glide.ts";
import { minZoomOf } from "../../../graph/first-view.ts";
import { shiftToShow } from "./view.ts";

/** How the whole graph is shown. */
export const FIT = { padding: 0.1, maxZoom: 1 };

export interface CanvasHandle {
  /** Shifts the view as little as possible to show a node. Returns false while the node is not drawn. */
  bring: (id: string) => boolean;
  /** Brings a node into view and returns whether it has the focus. */
  reveal: (id: string) => boolean;
  /** Shows all nodes. */
  fit: () => void;
}

/** Gives the commands of the canvas to the designer. `all` returns the box around all nodes. */
export function useCanvasHandle(
  frame: RefObject<HTMLElement | null>,
  all: () => Box,
  onReady: (handle: CanvasHandle) => void,
): void {
  const flow = useReactFlow<CanvasNode, CanvasEdge>();
  const latest = useRef({ all });
  useEffect(() => {
    latest.current = { all };
  });
  useEffect(() => {
    const bring = (id: string, duration = motionMs()) => {
      const node = flow.getInternalNode(id);
      const area = frame.current?.getBoundingClientRect();
      if (node === undefined || area === undefined) return false;
      const { x, y, zoom } = flow.getViewport();
      const at = node.internals.positionAbsolute;
      const { width = 0, height = 0 } = node.measured;
      const box = {
        x: at.x * zoom + x,
        y: at.y * zoom + y,
        width: width * zoom,
        height: height * zoom,
      };
      const covers = [...(frame.current?.querySelectorAll(".react-flow__minimap, .react-flow__controls") ?? [])].map(
        (element) => {
          const { left, top, width, height } = element.getBoundingClientRect();
          return { x: left - area.left, y: top - area.top, width, height };
        },
      );
      const shift = shiftToShow(box, area, covers);
      if (shift.x !== 0 || shift.y !== 0) void flow.setViewport({ x: x + shift.x, y: y + shift.y, zoom }, { duration });
      return true;
    };
    onReady({
      bring,
      reveal: (id) => {
        const element = nodeElement(id);
        if (element !== null && document.activeElement === element) return true;
        // In a large workflow only nodes in view have an element.
        if (!bring(id, element === null ? 0 : undefined) || element === null) return false;
        element.focus({ preventScroll: true });
        return document.activeElement === element;
      },
      fit: () => {
        const area = frame.current?.getBoundingClientRect();
        if (area === undefined) return;
        const { maxZoom, padding } = FIT;
        const box = latest.current.all();
        const view = getViewportForBounds(box, area.width, area.height, minZoomOf(box), maxZoom, padding);
        void flow.setViewport(view, { duration: motionMs() });
      },
    });
  }, [frame, flow, onReady]);
}

/** The element of a node on the canvas. */
export function nodeElement(id: string): HTMLElement | null {
  return document.querySelector(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
}
