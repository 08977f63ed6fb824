import type { JsonValue } from "../../../../schema/contract/json.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import { NODE_OUTCOMES } from "../../../../schema/contract/workflow.ts";
import type { Outcome } from "../../../../schema/contract/workflow.ts";
import type { JobTimes } from "../../../domain/job-order.ts";
import { enterHandler } from "./error-handler.ts";
import type { Scope } from "./draft.ts";

/** How a node run failed. `cancelled`: its job was cancelled although the execution continues. */
export interface NodeFailure {
  readonly status: "failed" | "timed_out" | "cancelled";
  readonly error: Failure;
  /** The outcome of the node. Default: "failure", if its type has that outcome. */
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
 * Ends a node by failure. An edge or the graph's errorHandler may handle the failure
 * (docs/design/workflows.md#failures). The first unhandled one becomes the error of the execution or the iteration,
 * which fails when all running nodes have ended.
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
  scope.draft.error ??= { code: error.code, message: `${scope.nameOf(nodeId)}: ${error.message}`.slice(0, 16_384) };
}
