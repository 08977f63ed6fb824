import type { Edge } from "../../../schema/contract/workflow.ts";
import { isRootHandler } from "./graph-index.ts";
import type { PathScope } from "../template/resolve-path.ts";

/** What became of the nodes of a graph: for the engine what is on record, for a dry run what is given or taken to be. */
export interface Course<S> {
  takes(scope: S, edge: Edge): boolean;
  /** The failed node whose edge led on; null when none of these edges was taken by a failure. */
  failedBefore(scope: S, incoming: readonly Edge[]): string | null;
  /** The node whose failure entered an errorHandler that no edge leads to. */
  enteredBy(scope: S, handlerId: string): string | null;
}

/** The failure that led to a node: the nearest one, looking back along the edges that were taken, then outwards. */
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
