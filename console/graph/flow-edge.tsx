import { BaseEdge } from "@xyflow/react";
import type { EdgeProps } from "@xyflow/react";
import { pathOf } from "./edge-way.ts";
import type { DrawnEdge } from "./flow-elements.ts";

/** An edge on the path of the layout. */
export function FlowEdge({ id, data, style = {} }: EdgeProps<DrawnEdge>) {
  return <BaseEdge id={id} path={pathOf(data?.points ?? [])} style={style} />;
}
