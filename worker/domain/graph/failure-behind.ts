import type { Edge } from "../../../schema/contract/workflow.ts";
import { isRootHandler } from "./graph-index.ts";
import type { PathScope } from "../template/resolve-path.ts";

/** How the nodes of a graph ended: recorded in the engine, given or assumed in a dry run. */
export interface Course<S> {
  takes(scope: S, edge: Edge): boolean;
  /** The failed node whose edge was taken; null when no failure took one of these edges. */
  failedBefore(scope: S, incoming: readonly Edge[]): string | null;
  /** The node whose failure entered an errorHandler without incoming edges. */
  enteredBy(scope: S, handlerId: string): string | null;
}

/** The failure that led to a node: the nearest one, going back along the taken edges, then outwards. */
export function failureBehind<S extends PathScope<S>>(
  scope: S,
  nodeId: string,
  course: Course<S>,
): { scope: S; nodeId: string } | null {
  const seen = new Set([nodeId]);
  for (const id of seen) {
    const indexed = scope.index.nodes.get(id);
    if (indexed === undefined) continue;
    const { incoming } = indexed;
    const failed = isRootHandler(indexed) ? course.enteredBy(scope, id) : course.failedBefore(scope, incoming);
    if (failed !== null && scope.index.nodes.has(failed)) return { scope, nodeId: failed };
    for (const edge of incoming) if (course.takes(scope, edge)) seen.add(edge.from);
  }
  return scope.parent === null ? null : failureBehind(scope.parent.scope, scope.parent.forEachId, course);
}
