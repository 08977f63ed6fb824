import type { AlertEvent, EventWorkflow } from "../../domain/alerts/event.ts";
import { forKey } from "../../domain/alerts/for-key.ts";
import { findLastSuccesses } from "../../store/alert-facts.ts";
import type { Deps } from "../deps.ts";
import { shownTime } from "../../domain/shown-time.ts";

const PORTION = 200;

/** A workflow, or its runs with one concurrency key, whose last run failed. */
export interface Failing {
  readonly workflowId: string;
  readonly key: string | null;
  /** When its last known failure ended (epoch ms). */
  readonly at: number;
}

export interface Recoveries {
  readonly recovered: readonly { readonly failing: Failing; readonly event: AlertEvent }[];
  /** Those whose workflows exist no longer. */
  readonly gone: readonly Failing[];
}

/** Those among these that have succeeded since. */
export async function readRecoveries(deps: Deps, failing: readonly Failing[]): Promise<Recoveries> {
  const found: { failing: Failing; event: AlertEvent }[] = [];
  const gone: Failing[] = [];
  for (let start = 0; start < failing.length; start += PORTION) {
    const some = failing.slice(start, start + PORTION);
    const rows = new Map((await findLastSuccesses(deps.db, some)).map((row) => [row.place, row]));
    for (const [place, one] of some.entries()) {
      const row = rows.get(place);
      if (row === undefined) gone.push(one);
      else if (row.finishedAt !== null && row.finishedAt > one.at) {
        const { workflowName: name, tags, finishedAt: at, executionId } = row;
        const event = recovered({ id: one.workflowId, name, tags }, one, { at, executionId });
        found.push({ failing: one, event });
      }
    }
  }
  return { recovered: found, gone };
}

/** The first success after a failure; `executionId` is null when a later failure shows that there was one. */
export function recovered(
  workflow: EventWorkflow,
  { key, at: failedAt }: Pick<Failing, "key" | "at">,
  { at, executionId }: { at: number; executionId: string | null },
): AlertEvent {
  const path = executionId === null ? `/workflows/${workflow.id}` : `/executions/${executionId}`;
  const details = [`The last failure ended at ${shownTime(failedAt)}.`];
  return {
    on: "run_failed",
    key: `recovered:${workflow.id}:${failedAt}${key === null ? "" : `:${key}`}`,
    at,
    workflow,
    failure: "recovered",
    runKey: key,
    line: { at, subject: `Workflow "${workflow.name}" succeeded again${forKey(key)}`, details, path },
  };
}
