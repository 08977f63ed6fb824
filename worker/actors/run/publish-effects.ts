import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import { OUTPUT_MAX_BYTES } from "../../../schema/limits.ts";
import { jsonBytes } from "../../domain/json-bytes.ts";
import { childEffects, outputsOf } from "./engine/step.ts";
import type { ChildReport, ExecutionState } from "../../domain/execution-state.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import type { ChildOrder, RunEffect } from "./engine/types.ts";
import { cancelledJobs, openOrders, openOrdersOf } from "../../store/jobs.ts";
import type { StoredExecution } from "../../store/executions.ts";
import type { Deps } from "../../services/deps.ts";
import { definitionOf } from "../../services/workflows/version-of.ts";
import type { Applied } from "./apply-event.ts";
import type { RunSlot } from "./slot.ts";

/**
 * Publishes the effects of a committed step to Pool, Gate and other Runs. When an earlier publication may be incomplete (a
 * crash between commit and call, a call that failed), all effects are published again, from what libSQL holds: every call
 * may be repeated.
 */
export function publishEffects(deps: Deps, slot: RunSlot, { stored, effects }: Applied): Promise<void> {
  if (effects.length === 0 && slot.published) return Promise.resolve();
  return slot.inTurn("publish", async () => {
    const all = slot.published ? effects : await allEffects(deps, slot.current ?? stored);
    slot.published = false;
    await Promise.all([
      ...enqueueCalls(deps, ordersIn(all)),
      reorderCalls(deps, all),
      cancelCalls(deps, stored, all),
      ...childCalls(deps, stored, all),
      ...endedCalls(deps, slot.current ?? stored, all),
    ]);
    slot.published = true;
  });
}

async function allEffects(deps: Deps, { state }: StoredExecution): Promise<RunEffect[]> {
  const definition = await definitionOf(deps, state.versionId);
  const orders = await openOrders(deps.db, state.id);
  const cancelled = await cancelledJobs(deps.db, state.id);
  return [
    ...orders.map((order): RunEffect => ({ type: "enqueueJob", order })),
    ...cancelled.map(({ jobId }): RunEffect => ({ type: "cancelJob", jobId })),
    ...childEffects(definition, state),
    ...(isTerminalExecution(state.status) ? [{ type: "executionEnded", status: state.status } as const] : []),
  ];
}

function ordersIn(effects: readonly RunEffect[]): JobOrder[] {
  return effects.flatMap((effect) => (effect.type === "enqueueJob" ? effect.order : []));
}

function enqueueCalls(deps: Deps, orders: readonly JobOrder[]): Promise<void>[] {
  const byPool = Map.groupBy(orders, ({ poolObject }) => poolObject);
  return [...byPool].map(([poolObject, some]) => deps.objects.pool(poolObject).enqueue(some));
}

/** The record says where to: a repeated report must not take a job back to where it was. */
async function reorderCalls(deps: Deps, effects: readonly RunEffect[]): Promise<void> {
  const jobIds = effects.flatMap((effect) => (effect.type === "reorderJob" ? effect.jobId : []));
  if (jobIds.length > 0) await Promise.all(enqueueCalls(deps, await openOrdersOf(deps.db, jobIds)));
}

/** Where a cancelled job is now, libSQL says: a job goes to another Pool when its connection does. */
async function cancelCalls(deps: Deps, { state }: StoredExecution, effects: readonly RunEffect[]): Promise<void> {
  if (!effects.some((effect) => effect.type === "cancelJob")) return;
  const byPool = Map.groupBy(await cancelledJobs(deps.db, state.id), (job) => job.poolObject);
  await Promise.all(
    [...byPool].map(([poolObject, jobs]) => deps.objects.pool(poolObject).cancel(jobs.map((job) => job.jobId))),
  );
}

function childCalls(deps: Deps, stored: StoredExecution, effects: readonly RunEffect[]): Promise<unknown>[] {
  return effects.flatMap((effect) => {
    if (effect.type === "startChild") return [startChild(deps, stored, effect.order)];
    if (effect.type !== "cancelChild") return [];
    const { executionId, workflowId, by } = effect;
    return [deps.objects.run({ workflowId }).cancel(executionId, by)];
  });
}

function startChild(deps: Deps, { state: parent, meta }: StoredExecution, order: ChildOrder): Promise<unknown> {
  const { executionId, workflowId, versionId, variables, nodeRunId, startedAt } = order;
  return deps.objects.run({ workflowId }).start({
    executionId,
    workflowId,
    versionId,
    trigger: { type: "workflow", variables, parentExecutionId: parent.id },
    triggerKey: `node:${nodeRunId}`,
    webhookKey: null,
    startedAt,
    parent: { executionId: parent.id, workflowId: parent.workflowId, nodeRunId, depth: parent.depth + 1 },
    startedBy: meta.startedBy,
    approved: parent.approved,
  });
}

/** Who waits for the end: the gate that took the webhook, the execution whose node this is. */
function endedCalls(deps: Deps, { state, meta }: StoredExecution, effects: readonly RunEffect[]): Promise<void>[] {
  const { webhookKey, parent } = meta;
  const { status } = state;
  if (status === "running" || !effects.some((effect) => effect.type === "executionEnded")) return [];
  const calls: Promise<void>[] = [];
  if (webhookKey !== null) calls.push(deps.objects.gate(webhookKey).executionEnded(state.id, status));
  if (parent !== null) calls.push(reportToParent(deps, state, status, parent));
  return calls;
}

async function reportToParent(
  deps: Deps,
  state: ExecutionState,
  status: ChildReport["status"],
  parent: NonNullable<StoredExecution["meta"]["parent"]>,
): Promise<void> {
  const outputs = outputsOf(await definitionOf(deps, state.versionId), state);
  await deps.objects.run(parent).childEnded(parent.executionId, {
    nodeRunId: parent.nodeRunId,
    childExecutionId: state.id,
    status,
    outputs: jsonBytes(outputs) > OUTPUT_MAX_BYTES ? { truncated: true } : outputs,
    error: state.error,
    approved: state.approved,
  });
}
