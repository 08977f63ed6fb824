import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import { OUTPUT_MAX_BYTES } from "../../../schema/limits.ts";
import { mayBeReported } from "../../domain/failed-execution.ts";
import { jsonBytes } from "../../domain/json-bytes.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import type { Deps } from "../../services/deps.ts";
import { nudgeAlerter } from "../../services/alerts/index.ts";
import { definitionOf } from "../../services/executions/index.ts";
import { rootIdOf } from "../../store/execution-rows.ts";
import type { StoredExecution } from "../../store/executions.ts";
import { cancelledJobs, openOrders, openOrdersOf } from "../../store/jobs.ts";
import { olderRuns } from "../../store/open-runs.ts";
import type { GroupedCalls } from "../kit/grouped-calls.ts";
import type { Applied } from "./take-step.ts";
import { childEffects, outputsOf } from "./engine/step.ts";
import type { ChildOrder, RunEffect } from "./engine/types.ts";
import { reportFailure } from "./report-failure.ts";
import type { RunSlot } from "./slot.ts";

/** The older executions that one takes the place of: one runs, and others wait only if a call was lost. */
const OLDER_MAX = 1_000;

/**
 * Publishes the effects of a committed step to dispatchers, gates and other `WorkflowRuns`. When an earlier publication
 * may be incomplete (a crash between commit and call, a failed call), all effects are published again from libSQL:
 * every call may be repeated.
 */
export function publishEffects(
  deps: Deps,
  slot: RunSlot,
  { stored, effects }: Applied,
  enqueues: GroupedCalls<JobOrder[], void>,
): Promise<void> {
  if (effects.length === 0 && slot.published) return Promise.resolve();
  return slot.inTurn("publish", async () => {
    if (slot.published) {
      slot.published = false;
      await publish(deps, stored, effects, enqueues);
    } else {
      const present = slot.current ?? stored;
      await publish(deps, present, await allEffects(deps, present), enqueues);
    }
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
    ...(state.supersededBy === null ? [] : orders.map(({ jobId }): RunEffect => ({ type: "withdrawJob", jobId }))),
    ...(state.hold !== null && definition.concurrency?.mode === "cancelPrevious"
      ? [{ type: "supersedeOlder" } as const]
      : []),
    ...childEffects(definition, state),
    ...(isTerminalExecution(state.status) ? [{ type: "executionEnded", status: state.status } as const] : []),
  ];
}

async function publish(
  deps: Deps,
  stored: StoredExecution,
  effects: readonly RunEffect[],
  enqueues: GroupedCalls<JobOrder[], void>,
): Promise<void> {
  // The dispatcher of a reordered or cancelled job comes from libSQL: the job may have moved with its connection since,
  // and a repeated report must not move it back.
  const reordered = effects.flatMap((effect) => (effect.type === "reorderJob" ? effect.jobId : []));
  const orders = [
    ...effects.flatMap((effect) => (effect.type === "enqueueJob" ? effect.order : [])),
    ...(reordered.length === 0 ? [] : await openOrdersOf(deps.db, reordered)),
  ];
  const isCancelling = effects.some((effect) => effect.type === "cancelJob");
  const cancelled = isCancelling ? await cancelledJobs(deps.db, stored.state.id) : [];
  await Promise.all([
    ...byPool(orders).map(([name, some]) => enqueues.call(name, some)),
    ...byPool(cancelled).map(([name, some]) => deps.objects.dispatcher(name).cancel(some.map(({ jobId }) => jobId))),
    ...effects.flatMap((effect): Promise<unknown>[] => {
      if (effect.type === "startChild") return [startChild(deps, stored, effect.order)];
      if (effect.type === "cancelChild")
        return [deps.objects.workflowRuns(effect).cancel(effect.executionId, effect.by)];
      if (effect.type === "supersedeChild")
        return [deps.objects.workflowRuns(effect).supersede(effect.executionId, effect.by)];
      if (effect.type === "supersedeOlder") return [supersedeOlder(deps, stored)];
      return effect.type === "executionEnded" ? endedCalls(deps, stored) : [];
    }),
  ]);
  // After the orders: the dispatcher must know a job to withdraw it.
  const withdrawn = effects.flatMap((effect) => (effect.type === "withdrawJob" ? effect.jobId : []));
  if (withdrawn.length === 0) return;
  await Promise.all(
    byPool(await openOrdersOf(deps.db, withdrawn)).map(([name, some]) =>
      deps.objects.dispatcher(name).cancel(
        some.map(({ jobId }) => jobId),
        "waiting",
      ),
    ),
  );
}

function byPool<T extends { poolObject: string }>(jobs: readonly T[]): [string, T[]][] {
  return [...Map.groupBy(jobs, ({ poolObject }) => poolObject)];
}

function startChild(deps: Deps, { state: parent, meta }: StoredExecution, order: ChildOrder): Promise<unknown> {
  const { executionId, workflowId, versionId, variables, nodeRunId, startedAt } = order;
  return deps.objects.workflowRuns({ workflowId }).start({
    executionId,
    workflowId,
    versionId,
    trigger: { type: "workflow", variables, parentExecutionId: parent.id },
    triggerKey: `node:${nodeRunId}`,
    webhookKey: null,
    startedAt,
    parent: {
      executionId: parent.id,
      workflowId: parent.workflowId,
      nodeRunId,
      rootId: rootIdOf(parent, meta),
      depth: parent.depth + 1,
    },
    startedBy: meta.startedBy,
    approved: parent.approved,
    ...(parent.limits === null ? {} : { limits: parent.limits.uses }),
  });
}

async function supersedeOlder(deps: Deps, { state }: StoredExecution): Promise<void> {
  const { id, workflowId, concurrencyKey } = state;
  if (concurrencyKey === null) return;
  const older = await olderRuns(deps.db, { workflowId, concurrencyKey }, id, OLDER_MAX);
  const runs = deps.objects.workflowRuns({ workflowId });
  await Promise.all(older.map((other) => runs.supersede(other.id, id)));
}

/** Reports the end to the gate that accepted the webhook, to the parent, and to the next execution with its key. */
function endedCalls(deps: Deps, stored: StoredExecution): Promise<void>[] {
  const { state, meta } = stored;
  const { webhookKey, parent } = meta;
  const { status, workflowId, concurrencyKey } = state;
  if (status === "running") return [];
  // Not awaited: rules also find the execution without it.
  if (parent === null && status === "failed") void nudgeAlerter(deps);
  // Not awaited: a failure workflow that does not start must delay nothing, and the sweep repeats what remains.
  if (status === "failed" && mayBeReported(state.trigger)) void reportFailure(deps, stored);
  const report = async ({ nodeRunId, ...ref }: NonNullable<typeof parent>) => {
    const outputs = outputsOf(await definitionOf(deps, state.versionId), state);
    await deps.objects.workflowRuns(ref).childEnded(ref.executionId, {
      nodeRunId,
      childExecutionId: state.id,
      status,
      outputs: jsonBytes(outputs) > OUTPUT_MAX_BYTES ? { truncated: true } : outputs,
      error: state.error,
      approved: state.approved,
    });
  };
  return [
    ...(webhookKey === null ? [] : [deps.objects.gate(webhookKey).executionEnded(state.id, status)]),
    ...(parent === null ? [] : [report(parent)]),
    ...(concurrencyKey === null ? [] : [deps.objects.workflowRuns(state).admitNext({ workflowId, concurrencyKey })]),
  ];
}
