import { Suspense, lazy } from "react";
import { graph as text } from "../strings/en/graph.ts";
import { LoadingState } from "../ui/states.tsx";
import type { FlowProps } from "./flow.tsx";

const Flow = lazy(() => import("./flow.tsx"));

/** A definition as a graph, with the states of its nodes where known. React Flow is loaded when the graph is shown. */
export function GraphView(props: FlowProps) {
  return (
    <Suspense fallback={<LoadingState label={text.loading} />}>
      <Flow {...props} />
    </Suspense>
  );
}
