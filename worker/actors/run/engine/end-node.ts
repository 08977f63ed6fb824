import type { JsonValue } from "../../../../schema/contract/json.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import { NODE_OUTCOMES } from "../../../../schema/contract/workflow.ts";
import type { Outcome } from "../../../../schema/contract/workflow.ts";
import type { JobTimes } from "../../../domain/job-order.ts";
import { enterHandler } from "./error-handler.ts";
import type { Scope } from "./draft.ts";

/** How a node run failed; `cancelled` is a job that was taken back though its execution goes on. */
export interface NodeFailure {
  readonly status: "failed" | "timed_out" | "cancelled";
  readonly error: Failure;
  /** How the node is left; "failure" where its type has that, when not said. */
  readonly outcome?: Outcome;
  readonly output?: JsonValue | null;
  readonly times?: JobTimes;
}

export function succeed(
  scope: Scope,
  nodeId: string,
  { outcome = "success", output, times }: { outcome?: Outcome; output: JsonValue | null; times?: JobTimes },
): void {
  scope.update(nodeId, {
    status: "succeeded",
    outcome,
    output,
    error: null,
    wakeAt: null,
    timeline: times ?? { ...scope.run(nodeId).timeline, finishedAt: scope.draft.now },
  });
}

/**
 * Ends a node by failure. The failure is handled when an edge takes it, or when the graph's errorHandler (the one
 * without incoming edges) has not been entered yet and the node does not lie behind it. Nothing handles any other one:
 * the execution, or the iteration, will fail with the first of these, once what still runs has ended. A failure in a
 * handler's own nodes is one like any other.
 */
export function fail(
  scope: Scope,
  nodeId: string,
  { status, error, outcome, output = null, times }: NodeFailure,
): void {
  const { node, outgoing } = scope.node(nodeId);
  const outcomes: readonly Outcome[] = NODE_OUTCOMES[node.type];
  const left = outcome ?? (outcomes.includes("failure") ? "failure" : null);
  scope.update(nodeId, {
    status,
    outcome: left,
    output,
    error,
    wakeAt: null,
    timeline: times ?? { ...scope.run(nodeId).timeline, finishedAt: scope.draft.now },
  });
  if (outgoing.some((edge) => edge.on === left)) return;
  if (enterHandler(scope, nodeId) || scope.parent !== null) return;
  scope.draft.error ??= { code: error.code, message: `${nodeId}: ${error.message}`.slice(0, 16_384) };
}
