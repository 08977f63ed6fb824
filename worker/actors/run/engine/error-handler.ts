import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { Edge } from "../../../../schema/contract/workflow.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import { FAILURE_FIELDS, failureValue, valuesOf } from "../../../domain/template/resolve-path.ts";
import type { FailedNode } from "../../../domain/template/resolve-path.ts";
import type { Scope } from "./draft.ts";
import { hasFailed } from "./unhandled-failure.ts";

/**
 * Enters a graph's own errorHandler with an unhandled failure. False when the graph has none, or when it was entered or
 * skipped before. So a failure behind the handler never enters it again.
 */
export function enterHandler(scope: Scope, failedNodeId: string): boolean {
  const { rootHandler } = scope.index;
  if (rootHandler === null || scope.run(rootHandler).status !== "pending") return false;
  startHandler(scope, rootHandler, failedNodeId);
  return true;
}

/** Ends the errorHandler as succeeded, with the failure as its output. So its failure edge is never taken. */
export function startHandler(scope: Scope, handlerId: string, failedNodeId: string | null): void {
  scope.update(handlerId, {
    status: "succeeded",
    outcome: "success",
    output: failedNodeId === null ? null : failureView(failedNode(scope, failedNodeId)),
    timeline: { ...scope.run(handlerId).timeline, startedAt: scope.draft.now, finishedAt: scope.draft.now },
  });
}

/** The failed node whose edge led here; with several, the one that failed first. */
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

/** `error.*` without `error.output`, which may be large and is already stored with the failed node. */
function failureView(failed: FailedNode): JsonObject {
  const valueOf = valuesOf((path) => failureValue(failed, path));
  return Object.fromEntries(Object.keys(FAILURE_FIELDS).map((field) => [field, valueOf([field]) ?? null]));
}

function endedAt(run: NodeRun): number {
  return run.timeline.finishedAt ?? 0;
}
