import { EXECUTION_MAX_DURATION_MS } from "../../../schema/limits.ts";
import { forgottenKeys } from "../../store/open-runs.ts";
import { dueExecutions, runningBefore } from "../../store/executions.ts";
import type { Deps } from "../deps.ts";
import { firstIdAt } from "../ids.ts";
import { logWarning } from "../log.ts";
import { failureMessage } from "../../store/errors.ts";

/** The sweeper only covers lost alarms, so it gives alarms a head start. */
const HEAD_START_MS = 30_000;
const MAX_AT_ONCE = 200;

interface ExecutionRef {
  executionId: string;
  workflowId: string;
}

/** Wakes due executions whose alarm was lost, for example in a crash between commit and arming. */
export async function wakeDueExecutions(deps: Deps): Promise<void> {
  await wake(deps, await dueExecutions(deps.db, deps.now() - HEAD_START_MS, MAX_AT_ONCE));
}

/** Wakes executions that have reached the maximum duration, so that they end. They have no alarm for it. */
export async function endOverlongExecutions(deps: Deps): Promise<void> {
  const beforeId = firstIdAt("execution", deps.now() - EXECUTION_MAX_DURATION_MS);
  await wake(deps, await runningBefore(deps.db, beforeId, MAX_AT_ONCE));
}

/** Begins executions that wait for their turn although none runs: the call after an end was lost. */
export async function admitForgotten(deps: Deps): Promise<void> {
  for (const key of await forgottenKeys(deps.db, MAX_AT_ONCE)) {
    try {
      await deps.objects.workflowRuns(key).admitNext(key);
    } catch (error) {
      const { workflowId } = key;
      const fields = { workflowId, error: failureMessage(error) };
      logWarning("the sweeper could not begin a waiting execution; it tries again in a minute", fields);
    }
  }
}

async function wake(deps: Deps, refs: readonly ExecutionRef[]): Promise<void> {
  for (const ref of refs) {
    try {
      await deps.objects.workflowRuns(ref).wake(ref.executionId);
    } catch (error) {
      logWarning("the sweeper could not wake an execution; it tries again in a minute", {
        executionId: ref.executionId,
        error: failureMessage(error),
      });
    }
  }
}
