import type { Approved } from "../../../../schema/contract/approval.ts";
import { isTerminalExecution } from "../../../../schema/contract/execution.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import type { JsonObject } from "../../../../schema/contract/json.ts";
import type { Hold } from "../../../../schema/contract/hold.ts";
import type { RunLimits } from "../../../../schema/contract/limit-group.ts";
import type { Definition } from "../../../../schema/contract/workflow.ts";
import { EXECUTION_MAX_DURATION_MS } from "../../../../schema/limits.ts";
import type { Decision, ExecutionState, NodeRun } from "../../../domain/execution-state.ts";
import { decide, expireApproval } from "./approval.ts";
import { cancel, expire, refuse } from "./cancel.ts";
import { Draft } from "./draft.ts";
import { readOnlyDraft } from "./read-only-draft.ts";
import { succeed } from "./end-node.ts";
import { endOutputs } from "./end-outputs.ts";
import { finishJob } from "./finish-job.ts";
import { resumeForEach } from "./for-each.ts";
import { propagate } from "./propagate.ts";
import { startAction } from "./start-action.ts";
import { supersede, supersededError } from "./supersede.ts";
import { finishChild, lookForChild, orderOf, startSubWorkflow } from "./sub-workflow.ts";
import type { RunEffect, RunEvent, StepDeps, StepResult } from "./types.ts";

const SUPERSEDE_AGAIN_MS = 10_000;
const TURN_TIMEOUT: Failure = {
  code: "turn_timeout",
  message:
    "The run did not get its turn in time. Look for workflows that call each other and wait for each other's end, or for a run that does not end.",
};

/** An execution before its first step: revision 0, and only the node runs that a retry keeps. */
export function createExecution(
  order: Pick<ExecutionState, "id" | "workflowId" | "versionId" | "trigger" | "startedAt"> & {
    depth?: number;
    kept?: readonly NodeRun[];
    approved?: Approved | null;
    concurrencyKey?: string | null;
    limits?: RunLimits | null;
  },
): ExecutionState {
  const {
    id,
    workflowId,
    versionId,
    trigger,
    startedAt,
    depth = 0,
    kept = [],
    approved = null,
    concurrencyKey = null,
    limits = null,
  } = order;
  return {
    id,
    workflowId,
    versionId,
    trigger,
    depth,
    startedAt,
    begunAt: null,
    status: "running",
    revision: 0,
    finishedAt: null,
    error: null,
    approved,
    wakeAt: null,
    hold: null,
    concurrencyKey,
    limits,
    suppressed: null,
    supersededBy: null,
    nodeRuns: kept,
  };
}

/**
 * Applies one event to an execution (docs/design/workflows.md#which-nodes-run, docs/design/workflows.md#failures).
 * Pure: the same arguments and ids give the same result, no argument is changed, and an event that is repeated, late or
 * for something else changes nothing. After an unhandled failure the other branches run to their end, clean-up
 * included: an action stopped halfway leaves more to repair than it saves.
 */
export function step(
  definition: Definition,
  state: ExecutionState,
  event: RunEvent,
  now: number,
  deps: StepDeps,
): StepResult {
  if (isTerminalExecution(state.status)) return afterEnd(definition, state, event, now);
  const draft = new Draft(definition, state, now, deps);
  const begun = state.begunAt !== null;
  if (begun && now >= draft.endsAt) expire(draft);
  else if (event.type === "cancelled") {
    if (!begun) draft.addRuns(draft.root);
    cancel(draft, event.by);
  } else if (begun) apply(draft, event);
  else enter(draft, event);
  if (draft.changed && draft.status === "running" && draft.hold === null) propagate(draft);
  return draft.finish();
}

/** Only the cancels of its sub-workflows are published again, once, when they are due. */
function afterEnd(definition: Definition, state: ExecutionState, event: RunEvent, now: number): StepResult {
  if (event.type !== "woken" || state.wakeAt === null || state.wakeAt > now) return { state, effects: [] };
  return {
    state: { ...state, wakeAt: null, revision: state.revision + 1 },
    effects: childEffects(definition, state),
  };
}

/** Whether a step did what its event asked for: an approval may have expired, or the execution's time be over. */
export function tookEffect(event: RunEvent, { status, nodeRuns }: ExecutionState): boolean {
  switch (event.type) {
    case "decided":
      return nodeRuns.some((run) => run.id === event.decision.nodeRunId && isAnswered(run, event.decision.decision));
    case "cancelled":
      return status === "cancelled";
    case "started":
    case "held":
    case "admitted":
    case "refused":
    case "superseded":
    case "jobFinished":
    case "childEnded":
    case "woken":
      return true;
  }
}

/** An approval leaves by its answer. An action that waited for one runs, or has failed. */
function isAnswered({ status, outcome }: NodeRun, decision: Decision["decision"]): boolean {
  if (outcome === "approved" || outcome === "rejected") return outcome === decision && status !== "timed_out";
  return status !== "cancelled";
}

/** The outputs of an ended execution: see `endOutputs`. */
export function outputsOf(definition: Definition, state: ExecutionState): JsonObject {
  return endOutputs(readOnlyDraft(definition, state).root);
}

/** The effects on sub-workflows, any of which a crash between commit and call may have lost. */
export function childEffects(definition: Definition, state: ExecutionState): RunEffect[] {
  if (state.nodeRuns.every((run) => run.childExecutionId === null)) return [];
  const draft = readOnlyDraft(definition, state);
  return state.nodeRuns.flatMap((run): RunEffect[] => {
    const { node } = draft.scopeOf(run).node(run.nodeId);
    if (node.type !== "workflow" || run.childExecutionId === null) return [];
    const order = orderOf(node, run);
    const { childExecutionId: executionId } = run;
    const { workflowId } = node;
    const by = state.supersededBy;
    if (order !== null) {
      const again: RunEffect[] = by === null ? [] : [{ type: "supersedeChild", executionId, workflowId, by }];
      return [{ type: "startChild", order }, ...again];
    }
    if (run.status !== "cancelled" || state.status === "running") return [];
    return [{ type: "cancelChild", executionId, workflowId, by: "its parent" }];
  });
}

/** Whether an execution waits for anything but its turn: it is decided afterwards how it enters. */
export function entersAgain({ hold: why }: Pick<ExecutionState, "hold">): boolean {
  return why !== null && why.code !== "concurrency";
}

/** What happens to an execution that has not begun. */
function enter(draft: Draft, event: Exclude<RunEvent, { type: "cancelled" }>): void {
  const enters = draft.before.revision === 0 || entersAgain(draft.before);
  switch (event.type) {
    case "started":
      if (!enters) return undefined;
      draft.hold = null;
      return draft.begin(draft.root);
    case "held":
      draft.suppressed = event.suppressed ?? draft.suppressed;
      return enters ? hold(draft, event.hold, event.supersedes) : undefined;
    case "refused":
      draft.suppressed = event.suppressed ?? draft.suppressed;
      return refuse(draft, event.status, event.error);
    case "admitted":
      draft.hold = null;
      return draft.begin(draft.root);
    case "superseded":
      return refuse(draft, "cancelled", supersededError(event.by));
    case "woken":
      return lookAgain(draft);
    case "jobFinished":
    case "decided":
    case "childEnded":
  }
}

function hold(draft: Draft, why: Hold, supersedes: boolean): void {
  if (supersedes) draft.effects.push({ type: "supersedeOlder" });
  draft.hold = why;
  draft.lookAgainAt = supersedes ? draft.now + SUPERSEDE_AGAIN_MS : endOf(why);
  draft.changed = true;
}

/** When it is looked at again by its alarm. The minute's tick ends the wait for a maintenance window, for many in order. */
function endOf(why: Hold): number | null {
  return why.code === "maintenance" ? null : (why.until ?? null);
}

/** The call that ends the older executions may have been lost in a crash, so it is made once more. */
function lookAgain(draft: Draft): void {
  const { hold: why, wakeAt, startedAt } = draft.before;
  if (draft.now >= startedAt + EXECUTION_MAX_DURATION_MS) return expire(draft);
  if (why?.code !== "concurrency" || wakeAt === null || wakeAt > draft.now) return;
  if (why.until !== undefined && draft.now >= why.until) return refuse(draft, "failed", TURN_TIMEOUT);
  draft.effects.push({ type: "supersedeOlder" });
  hold(draft, why, false);
}

function apply(draft: Draft, event: Exclude<RunEvent, { type: "cancelled" }>): void {
  switch (event.type) {
    case "superseded":
      return supersede(draft, event.by);
    case "started":
    case "held":
    case "admitted":
    case "refused":
      return undefined;
    case "jobFinished":
      return finishJob(draft, event.report);
    case "decided":
      return decide(draft, event.decision);
    case "childEnded":
      return finishChild(draft, event.report);
    case "woken":
      return wake(draft);
  }
}

/** Performs what is due: the end of a delay, the next attempt or batch, an expired approval, a check of a sub-workflow. */
function wake(draft: Draft): void {
  for (const run of draft.runs) {
    if (run.wakeAt === null || run.wakeAt > draft.now) continue;
    const scope = draft.scopeOf(run);
    const { node } = scope.node(run.nodeId);
    if (node.type === "workflow" && run.status === "running") lookForChild(scope, node);
    if (run.status !== "waiting") continue;
    if (node.type === "workflow") startSubWorkflow(scope, node);
    if (node.type === "delay") succeed(scope, node.id, { output: null });
    if (node.type === "approval") expireApproval(scope, node);
    if (node.type === "forEach") resumeForEach(scope, node);
    if (node.type !== "action" || draft.isFull) continue;
    // Without an error, the node was postponed before its first attempt.
    if (run.error !== null) scope.update(node.id, { attempt: run.attempt + 1 });
    startAction(scope, node);
  }
}
