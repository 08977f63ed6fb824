import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { JobOrder, RunEffect } from "../../domain/run-types.ts";
import { cancelledJobs, openOrders } from "../../store/jobs.ts";
import type { StoredExecution } from "../../store/executions.ts";
import type { Deps } from "../deps.ts";
import type { RunSlot } from "./slot.ts";

/**
 * Tells Pool and Gate what a committed step brought about. Whatever an earlier telling may have missed (a crash
 * between commit and call, a call that failed) is told first, from what libSQL holds: every call may be repeated.
 */
export function tellEffects(
  deps: Deps,
  slot: RunSlot,
  stored: StoredExecution,
  effects: readonly RunEffect[],
): Promise<void> {
  if (effects.length === 0 && slot.told) return Promise.resolve();
  return slot.tell(async () => {
    const all = slot.told ? effects : await everythingOf(deps, slot.current ?? stored);
    slot.told = false;
    await Promise.all([...enqueueCalls(deps, all), cancelCalls(deps, stored, all), ...endedCalls(deps, stored, all)]);
    slot.told = true;
  });
}

async function everythingOf(deps: Deps, { state }: StoredExecution): Promise<RunEffect[]> {
  const orders = await openOrders(deps.db, state.id);
  const cancelled = await cancelledJobs(deps.db, state.id);
  return [
    ...orders.map((order): RunEffect => ({ type: "enqueueJob", order })),
    ...cancelled.map(({ jobId }): RunEffect => ({ type: "cancelJob", jobId })),
    ...(isTerminalExecution(state.status) ? [{ type: "executionEnded", status: state.status } as const] : []),
  ];
}

function enqueueCalls(deps: Deps, effects: readonly RunEffect[]): Promise<void>[] {
  const byPool = new Map<string, JobOrder[]>();
  for (const effect of effects) {
    if (effect.type !== "enqueueJob") continue;
    const orders = byPool.get(effect.order.poolObject) ?? [];
    orders.push(effect.order);
    byPool.set(effect.order.poolObject, orders);
  }
  return [...byPool].map(([poolObject, orders]) => deps.objects.pool(poolObject).enqueue(poolObject, orders));
}

/** Where a cancelled job is now, libSQL says: a job goes to another Pool when its connection does. */
async function cancelCalls(deps: Deps, { state }: StoredExecution, effects: readonly RunEffect[]): Promise<void> {
  if (!effects.some((effect) => effect.type === "cancelJob")) return;
  const byPool = Map.groupBy(await cancelledJobs(deps.db, state.id), (job) => job.poolObject);
  await Promise.all(
    [...byPool].map(([poolObject, jobs]) =>
      deps.objects.pool(poolObject).cancel(
        poolObject,
        jobs.map((job) => job.jobId),
      ),
    ),
  );
}

function endedCalls(deps: Deps, { state, meta }: StoredExecution, effects: readonly RunEffect[]): Promise<void>[] {
  const { webhookKey } = meta;
  if (webhookKey === null) return [];
  return effects.flatMap((effect) =>
    effect.type === "executionEnded" ? [deps.objects.gate(webhookKey).executionEnded(state.id, effect.status)] : [],
  );
}
