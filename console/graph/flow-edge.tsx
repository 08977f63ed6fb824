import { BaseEdge } from "@xyflow/react";
import type { EdgeProps } from "@xyflow/react";
import { svgPath } from "./edge-path.ts";
import type { DrawnEdge } from "./flow-elements.ts";

/** An edge on the path of the layout. */
export function FlowEdge({ id, data, style = {} }: EdgeProps<DrawnEdge>) {
  return <BaseEdge id={id} path={svgPath(data?.points ?? [])} style={style} />;
}
