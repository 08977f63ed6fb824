import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { Edge } from "../../../../schema/contract/workflow.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import { FAILURE_FIELDS, failureValue, valuesOf } from "../../../domain/template/resolve-path.ts";
import type { FailedNode } from "../../../domain/template/resolve-path.ts";
import type { Scope } from "./draft.ts";
import { hasFailed } from "./unhandled-failure.ts";

/**
 * Enters a graph's own errorHandler with a failure that nothing else handles. False when there is none, or when its turn
 * is over: an earlier failure entered it, or none can any more. So a failure behind it never enters it again.
 */
export function enterHandler(scope: Scope, failedNodeId: string): boolean {
  const { rootHandler } = scope.index;
  if (rootHandler === null || scope.run(rootHandler).status !== "pending") return false;
  startHandler(scope, rootHandler, failedNodeId);
  return true;
}

/**
 * An errorHandler does nothing itself: it shows the failure that led to it, as its output, and leaves by success at
 * once. So its failure edge is never taken.
 */
export function startHandler(scope: Scope, handlerId: string, failedNodeId: string | null): void {
  scope.update(handlerId, {
    status: "succeeded",
    outcome: "success",
    output: failedNodeId === null ? null : failureView(failedNode(scope, failedNodeId)),
    timeline: { ...scope.run(handlerId).timeline, startedAt: scope.draft.now, finishedAt: scope.draft.now },
  });
}

/** The failed node whose edge led here: the one that failed first when there are several. */
export function failedBefore(scope: Scope, incoming: readonly Edge[]): string | null {
  let first: NodeRun | null = null;
  for (const edge of incoming) {
    const run = scope.run(edge.from);
    if (!hasFailed(run) || run.outcome !== edge.on) continue;
    if (first === null || endedAt(run) < endedAt(first)) first = run;
  }
  return first?.nodeId ?? null;
}

export function failedNode(scope: Scope, nodeId: string): FailedNode {
  return { node: scope.node(nodeId).node, run: scope.run(nodeId) };
}

/** `error.*` without `error.output`, which may be large and stands with the failed node already. */
function failureView(failed: FailedNode): JsonObject {
  const valueOf = valuesOf((path) => failureValue(failed, path));
  return Object.fromEntries(Object.keys(FAILURE_FIELDS).map((field) => [field, valueOf([field]) ?? null]));
}

function endedAt(run: NodeRun): number {
  return run.timeline.finishedAt ?? 0;
}
