import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Edge } from "../../../schema/contract/workflow.ts";
import type { NodeRun } from "../run-types.ts";
import { ownValue } from "../template/value.ts";
import type { Draft } from "./draft.ts";

/**
 * Enters the workflow's errorHandler with a failure that nothing else handles. False when there is none, or when its turn
 * is over: an earlier failure entered it, or none can any more. So a failure behind it never enters it again.
 */
export function enterHandler(draft: Draft, failedNodeId: string): boolean {
  const { rootHandler } = draft.index;
  if (rootHandler === null || draft.run(rootHandler).status !== "pending") return false;
  startHandler(draft, rootHandler, failedNodeId);
  return true;
}

/**
 * An errorHandler does nothing itself: it shows the failure that led to it, as its output, and leaves by success at
 * once. So its failure edge is never taken.
 */
export function startHandler(draft: Draft, handlerId: string, failedNodeId: string | null): void {
  draft.update(handlerId, {
    status: "succeeded",
    outcome: "success",
    output: failedNodeId === null ? null : failureView(draft, failedNodeId),
    timeline: { ...draft.run(handlerId).timeline, startedAt: draft.now, finishedAt: draft.now },
  });
}

/** The failed node whose failure edge led here: the one that failed first when there are several. */
export function failedBefore(draft: Draft, incoming: readonly Edge[]): string | null {
  let first: NodeRun | null = null;
  for (const edge of incoming) {
    const run = draft.run(edge.from);
    if (edge.on !== "failure" || run.outcome !== "failure") continue;
    if (first === null || endedAt(run) < endedAt(first)) first = run;
  }
  return first?.nodeId ?? null;
}

/** `error.*` without `error.output`, which may be large and stands with the failed node already. */
export function failureView(draft: Draft, nodeId: string): JsonObject {
  const run = draft.run(nodeId);
  const { node } = draft.node(nodeId);
  return {
    nodeId,
    actionType: node.type === "action" ? node.action : node.type,
    code: run.error?.code ?? "",
    message: run.error?.message ?? "",
    status: run.status,
    exitCode: ownValue(run.output ?? undefined, ["exitCode"]) ?? null,
    statusCode: ownValue(run.output ?? undefined, ["statusCode"]) ?? null,
  };
}

function endedAt(run: NodeRun): number {
  return run.timeline.finishedAt ?? 0;
}
