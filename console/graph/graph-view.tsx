import { Suspense, lazy } from "react";
import { LoadingState } from "../ui/states.tsx";
import type { FlowProps } from "./flow.tsx";

const Flow = lazy(() => import("./flow.tsx"));

/** A definition as a picture, with how its nodes are where that is known. What draws it is loaded when it is shown. */
export function GraphView(props: FlowProps) {
  return (
    <Suspense fallback={<LoadingState label="Loading the graph" />}>
      <Flow {...props} />
    </Suspense>
  );
}
