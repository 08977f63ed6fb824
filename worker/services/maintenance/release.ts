import { endedHolds } from "../../store/suppressed-executions.ts";
import { failureMessage } from "../../store/errors.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";

const PORTION = 200;
const WORKFLOWS_AT_ONCE = 8;
/** A pass of the minute's tick ends before the next one. */
const PASS_MAX_MS = 45_000;

/**
 * Lets executions enter whose maintenance window has ended or has changed: of each workflow one after the other, the
 * oldest first, in bounded portions. Safe to repeat; the tick does so every minute.
 */
export async function releaseHeld(deps: Deps): Promise<void> {
  const endAt = deps.now() + PASS_MAX_MS;
  let afterId: string | null = null;
  while (deps.now() < endAt) {
    const held = await endedHolds(deps.db, deps.now(), { afterId, limit: PORTION });
    const byWorkflow = [...Map.groupBy(held, ({ workflowId }) => workflowId)];
    for (let at = 0; at < byWorkflow.length; at += WORKFLOWS_AT_ONCE) {
      await Promise.all(byWorkflow.slice(at, at + WORKFLOWS_AT_ONCE).map(([id, some]) => release(deps, id, some)));
    }
    if (held.length < PORTION) return;
    afterId = held.at(-1)?.id ?? null;
  }
}

/** The same after a change of a window. Never rejects: the tick repeats it. */
export async function releaseSoon(deps: Deps): Promise<void> {
  try {
    await releaseHeld(deps);
  } catch (error) {
    const fields = { error: failureMessage(error) };
    logWarning("the runs of a changed maintenance window could not begin; they are tried again in a minute", fields);
  }
}

async function release(deps: Deps, workflowId: string, executions: readonly { id: string }[]): Promise<void> {
  try {
    await deps.objects.workflowRuns({ workflowId }).release(executions.map(({ id }) => id));
  } catch (error) {
    const fields = { workflowId, error: failureMessage(error) };
    logWarning("executions could not begin after a maintenance window; they are tried again in a minute", fields);
  }
}
