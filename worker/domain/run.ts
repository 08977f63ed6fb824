import { isTerminalExecution } from "../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../schema/contract/execution.ts";
import type { Definition } from "../../schema/contract/workflow.ts";
import { cancel } from "./run/cancel.ts";
import { Draft } from "./run/draft.ts";
import { finishJob } from "./run/finish-job.ts";
import { enterNode, settle } from "./run/settle.ts";
import { wake } from "./run/wake.ts";
import type { ExecutionState, RunEffect, RunEvent, StepDeps } from "./run-types.ts";

export interface StepResult {
  /** The very object that was passed in when the event changed nothing. */
  readonly state: ExecutionState;
  readonly effects: readonly RunEffect[];
}

/** An execution before its first step: revision 0, and no node runs yet. */
export function createExecution(
  order: Pick<ExecutionState, "id" | "workflowId" | "versionId" | "trigger" | "startedAt"> & { depth?: number },
): ExecutionState {
  const { id, workflowId, versionId, trigger, startedAt, depth = 0 } = order;
  return {
    id,
    workflowId,
    versionId,
    trigger,
    depth,
    startedAt,
    status: "running",
    revision: 0,
    finishedAt: null,
    error: null,
    wakeAt: null,
    nodeRuns: [],
  };
}

/**
 * Applies one event to an execution (design 5). Pure: the same arguments and ids give the same result, and nothing that
 * was passed in changes. An event that is repeated, late or for something else changes nothing.
 *
 * - A node runs when all its incoming edges are settled and one was taken. Nodes without incoming edges run at the start,
 *   but for an errorHandler, which waits for the first failure that nothing else handles.
 * - A failure is handled by a failure edge of its node, or by that errorHandler, once; a failure behind the handler is
 *   not its own to handle. After one that nothing handled, the execution's `error` is set, and branches that do not hang
 *   on the failed node go on to their end, clean-up included: ending an action halfway leaves more to repair than it
 *   saves. Then the execution is `failed`.
 * - A cancelled execution ends at once; what its jobs report later changes nothing.
 */
export function step(
  definition: Definition,
  state: ExecutionState,
  event: RunEvent,
  now: number,
  deps: StepDeps,
): StepResult {
  if (isTerminalExecution(state.status)) return { state, effects: [] };
  const draft = new Draft(definition, state, now, deps);
  const begun = state.revision > 0;
  switch (event.type) {
    case "started":
      if (begun) break;
      draft.addRuns();
      start(draft);
      break;
    case "jobFinished":
      if (begun) finishJob(draft, event.report);
      break;
    case "woken":
      if (begun) wake(draft);
      break;
    case "cancelled":
      if (!begun) draft.addRuns();
      cancel(draft, event.by);
      break;
  }
  if (draft.changed && draft.status === "running") settle(draft);
  return draft.finish();
}

export interface Reconciliation {
  /** Jobs that Pool must hold: their orders were stored with the step that made them. */
  readonly openJobIds: readonly string[];
  /** Jobs that Pool must let go of. */
  readonly cancelledJobIds: readonly string[];
  /** The terminal status to tell; null while it runs. */
  readonly ended: ExecutionStatus | null;
}

/** What a crash between a commit and its effects may have swallowed. All of it may be told again. */
export function reconcile(state: ExecutionState): Reconciliation {
  const jobIdsOf = (status: "running" | "cancelled") =>
    state.nodeRuns.flatMap((run) => (run.status === status && run.jobId !== null ? [run.jobId] : []));
  return {
    openJobIds: jobIdsOf("running"),
    cancelledJobIds: jobIdsOf("cancelled"),
    ended: isTerminalExecution(state.status) ? state.status : null,
  };
}

function start(draft: Draft): void {
  for (const { node, incoming } of draft.index.nodes.values()) {
    if (incoming.length === 0 && node.id !== draft.index.rootHandler) enterNode(draft, node.id);
  }
}
