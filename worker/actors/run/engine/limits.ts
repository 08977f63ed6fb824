import type { Failure } from "../../../../schema/contract/problem.ts";
import type { ActionNode } from "../../../../schema/contract/workflow.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import type { Scope } from "./draft.ts";
import { fail } from "./end-node.ts";

/**
 * Whether a limited action may be ordered. The first one of an execution needs the reservation, which the step does not
 * have: its result is thrown away, and it is taken again with the answer. When the limit is reached, the node has failed
 * or waits for a person.
 */
export function isWithinLimits(scope: Scope, node: ActionNode): boolean {
  const { draft } = scope;
  const { limits } = draft;
  if (limits === null || limits.reserved) return true;
  if (limits.rejected !== undefined) {
    fail(scope, node.id, { status: "failed", error: limits.rejected });
    return false;
  }
  const { reservation } = draft.deps;
  if (reservation === undefined) {
    draft.wantsReservation = true;
    return true;
  }
  if (reservation.granted) {
    draft.limits = { ...limits, reserved: true };
    return true;
  }
  draft.kept.push("limitReached");
  const { whenReached, error } = reservation;
  if (whenReached === "end") fail(scope, node.id, { status: "failed", error });
  else ask(scope, node, error.message);
  return false;
}

/** Waits for a person as an approval does: without a job, and with its question as the output. */
function ask(scope: Scope, { id }: ActionNode, limit: string): void {
  const { now } = scope.draft;
  scope.update(id, {
    status: "waiting",
    jobId: null,
    error: null,
    wakeAt: null,
    output: { message: `${limit} Approve to run the action beyond the limit.`, limit },
    timeline: { ...scope.run(id).timeline, queuedAt: now, startedAt: null },
  });
}

/** Whether an action waits for the answer to `ask`. A retry has a job, a postponed action has a time. */
export function isAskingForLimit(run: NodeRun): boolean {
  return run.status === "waiting" && run.jobId === null && run.wakeAt === null && run.timeline.queuedAt !== null;
}

/** The code of a node that fails because of others: theirs, when limits alone stopped them. They are no fault of the workflow. */
export function codeAbove(causes: readonly (Failure | null)[], code: string): string {
  return causes.every((cause) => cause?.code === "limit_reached") ? "limit_reached" : code;
}
