import { endedHolds } from "../../store/suppressed-executions.ts";
import { withdrawnRuns } from "../../store/withdrawn-runs.ts";
import { failureMessage } from "../../store/errors.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";

const PORTION = 200;
const WORKFLOWS_AT_ONCE = 8;
/** A pass of the minute's tick ends before the next one. */
const PASS_MAX_MS = 45_000;

type FindHeld = (page: { afterId: string | null; limit: number }) => Promise<{ id: string; workflowId: string }[]>;

/**
 * Decides again about executions that wait although their maintenance window has ended or has changed, and about those
 * whose workflow nothing starts now: of each workflow one after the other, the oldest first, in bounded portions.
 * Safe to repeat; the tick does so every minute.
 */
export async function releaseHeld(deps: Deps): Promise<void> {
  const endAt = deps.now() + PASS_MAX_MS;
  await releaseAll(deps, (page) => withdrawnRuns(deps.db, page), endAt);
  await releaseAll(deps, (page) => endedHolds(deps.db, deps.now(), page), endAt);
}

/** The same after a change of a window or a workflow. Never rejects: the tick repeats it. */
export async function releaseSoon(deps: Deps): Promise<void> {
  try {
    await releaseHeld(deps);
  } catch (error) {
    const fields = { error: failureMessage(error) };
    logWarning("it could not be decided how waiting executions begin; it is tried again in a minute", fields);
  }
}

async function releaseAll(deps: Deps, find: FindHeld, endAt: number): Promise<void> {
  let afterId: string | null = null;
  while (deps.now() < endAt) {
    const held = await find({ afterId, limit: PORTION });
    const byWorkflow = [...Map.groupBy(held, ({ workflowId }) => workflowId)];
    for (let at = 0; at < byWorkflow.length; at += WORKFLOWS_AT_ONCE) {
      await Promise.all(byWorkflow.slice(at, at + WORKFLOWS_AT_ONCE).map(([id, some]) => release(deps, id, some)));
    }
    if (held.length < PORTION) return;
    afterId = held.at(-1)?.id ?? null;
  }
}

async function release(deps: Deps, workflowId: string, executions: readonly { id: string }[]): Promise<void> {
  try {
    await deps.objects.workflowRuns({ workflowId }).release(executions.map(({ id }) => id));
  } catch (error) {
    const fields = { workflowId, error: failureMessage(error) };
    logWarning("it could not be decided how waiting executions begin; it is tried again in a minute", fields);
  }
}
