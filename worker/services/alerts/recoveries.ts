import type { AlertEvent, EventWorkflow } from "../../domain/alerts/event.ts";
import { findLastSuccesses } from "../../store/alert-facts.ts";
import type { Deps } from "../deps.ts";
import { shownTime } from "../../domain/shown-time.ts";

const PORTION = 200;

export interface FailingWorkflow {
  readonly workflowId: string;
  /** When its last known failure ended (epoch ms). */
  readonly at: number;
}

export interface Recoveries {
  readonly events: readonly AlertEvent[];
  /** The failing workflows that exist no longer. */
  readonly gone: readonly string[];
}

/** The workflows among these that have succeeded since. */
export async function readRecoveries(deps: Deps, failing: readonly FailingWorkflow[]): Promise<Recoveries> {
  const events: AlertEvent[] = [];
  const gone: string[] = [];
  for (let start = 0; start < failing.length; start += PORTION) {
    const some = failing.slice(start, start + PORTION);
    const rows = await findLastSuccesses(
      deps.db,
      some.map(({ workflowId }) => workflowId),
    );
    const byId = new Map(rows.map((row) => [row.workflowId, row]));
    for (const { workflowId, at } of some) {
      const row = byId.get(workflowId);
      if (row === undefined) gone.push(workflowId);
      else if (row.finishedAt !== null && row.finishedAt > at) {
        const { workflowName: name, tags, finishedAt, executionId } = row;
        events.push(recovered({ id: workflowId, name, tags }, { failedAt: at, at: finishedAt, executionId }));
      }
    }
  }
  return { events, gone };
}

/** The first success after a failure; `executionId` is null when a later failure shows that there was one. */
export function recovered(
  workflow: EventWorkflow,
  { failedAt, at, executionId }: { failedAt: number; at: number; executionId: string | null },
): AlertEvent {
  const path = executionId === null ? `/workflows/${workflow.id}` : `/executions/${executionId}`;
  const details = [`The last failure ended at ${shownTime(failedAt)}.`];
  return {
    on: "run_failed",
    key: `recovered:${workflow.id}:${failedAt}`,
    at,
    workflow,
    failure: "recovered",
    line: { at, subject: `Workflow "${workflow.name}" succeeded again`, details, path },
  };
}
