import { EXECUTION_MAX_DURATION_MS } from "../../../schema/limits.ts";
import { forgottenKeys } from "../../store/open-runs.ts";
import { dueExecutions, runningBetween } from "../../store/executions.ts";
import type { DueExecution, ExecutionRef } from "../../store/executions.ts";
import type { Deps } from "../deps.ts";
import { firstIdAt } from "../ids.ts";
import { logWarning } from "../log.ts";
import { failureMessage } from "../../store/errors.ts";

/** The sweeper only covers lost alarms, so it gives alarms a head start. */
const HEAD_START_MS = 30_000;
const WAKES_AT_ONCE = 20;
/** No further wakes begin after this time: a pass of the minute's tick ends before the next one. */
const WAKES_MAX_MS = 45_000;
/** On Cloudflare all tasks of a minute share 10,000 subrequests. */
const WAKES_MAX = 2_000;
const KEYS_AT_ONCE = 200;

/** Wakes due executions whose alarm was lost, for example in a crash between commit and arming. */
export async function wakeDueExecutions(deps: Deps): Promise<void> {
  const before = deps.now() - HEAD_START_MS;
  await wakeAll(deps, (last: DueExecution | null) => dueExecutions(deps.db, { before, last, limit: WAKES_AT_ONCE }));
}

/** Wakes executions that have reached the maximum duration, so that they end. They have no alarm for it. */
export async function endOverlongExecutions(deps: Deps): Promise<void> {
  const beforeId = firstIdAt("execution", deps.now() - EXECUTION_MAX_DURATION_MS);
  await wakeAll(deps, (last: ExecutionRef | null) =>
    runningBetween(deps.db, { afterId: last?.executionId ?? "", beforeId, limit: WAKES_AT_ONCE }),
  );
}

/** Begins executions that wait for their turn although none runs: the call after an end was lost. */
export async function admitForgotten(deps: Deps): Promise<void> {
  for (const key of await forgottenKeys(deps.db, KEYS_AT_ONCE)) {
    try {
      await deps.objects.workflowRuns(key).admitNext(key);
    } catch (error) {
      const { workflowId } = key;
      const fields = { workflowId, error: failureMessage(error) };
      logWarning("the sweeper could not begin a waiting execution; it tries again in a minute", fields);
    }
  }
}

/** Page by page, so that fewer than `WAKES_MAX` executions that cannot be woken hold back none after them. */
async function wakeAll<Ref extends ExecutionRef>(
  deps: Deps,
  find: (last: Ref | null) => Promise<Ref[]>,
): Promise<void> {
  const endAt = deps.now() + WAKES_MAX_MS;
  let last: Ref | null = null;
  let woken = 0;
  do {
    const found: Ref[] = await find(last);
    await Promise.all(found.map((ref) => wake(deps, ref)));
    woken += found.length;
    last = found.length < WAKES_AT_ONCE ? null : (found.at(-1) ?? null);
  } while (last !== null && woken < WAKES_MAX && deps.now() < endAt);
}

async function wake(deps: Deps, { executionId, workflowId }: ExecutionRef): Promise<void> {
  try {
    await deps.objects.workflowRuns({ workflowId }).wake(executionId);
  } catch (error) {
    const fields = { executionId, error: failureMessage(error) };
    logWarning("the sweeper could not wake an execution; it tries again in a minute", fields);
  }
}
