import type { JsonValue } from "../../../schema/contract/json.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { Outcome } from "../../../schema/contract/workflow.ts";
import type { JobTimes } from "../run-types.ts";
import type { Draft } from "./draft.ts";
import { enterHandler } from "./error-handler.ts";

/** How a node run failed; `cancelled` is a job that was taken back though its execution goes on. */
export interface NodeFailure {
  readonly status: "failed" | "timed_out" | "cancelled";
  readonly error: Failure;
  readonly output?: JsonValue | null;
  readonly times?: JobTimes;
}

export function succeed(
  draft: Draft,
  nodeId: string,
  { outcome = "success", output, times }: { outcome?: Outcome; output: JsonValue | null; times?: JobTimes },
): void {
  draft.update(nodeId, {
    status: "succeeded",
    outcome,
    output,
    error: null,
    wakeAt: null,
    timeline: times ?? { ...draft.run(nodeId).timeline, finishedAt: draft.now },
  });
}

/**
 * Ends a node by failure. The failure is handled when the node has a failure edge, or when the workflow's errorHandler
 * (the one without incoming edges) has not been entered yet and the node does not lie behind it. Nothing handles any
 * other one: the execution will fail with the first of these, once what still runs has ended. A failure in a handler's
 * own nodes is one like any other.
 */
export function fail(draft: Draft, nodeId: string, { status, error, output = null, times }: NodeFailure): void {
  const { node, outgoing } = draft.node(nodeId);
  draft.update(nodeId, {
    status,
    outcome: node.type === "action" || node.type === "forEach" || node.type === "workflow" ? "failure" : null,
    output,
    error,
    wakeAt: null,
    timeline: times ?? { ...draft.run(nodeId).timeline, finishedAt: draft.now },
  });
  if (outgoing.some((edge) => edge.on === "failure")) return;
  if (enterHandler(draft, nodeId)) return;
  draft.error ??= { code: error.code, message: `${nodeId}: ${error.message}`.slice(0, 16_384) };
}
