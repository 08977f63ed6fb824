import type { Overview, WaitingJob } from "../../../schema/contract/overview.ts";
import { OVERVIEW_ITEMS_MAX, OVERVIEW_JOBS_LOOKED_AT, OVERVIEW_WAITING_AFTER_MS } from "../../../schema/limits.ts";
import { findNodesOfJobs, findOldJobs } from "../../store/overview.ts";
import type { Deps } from "../deps.ts";
import { definitionOf } from "../executions/index.ts";
import { liveJobStates } from "../jobs/index.ts";
import { placeOf } from "../place-of.ts";
import { toIso } from "./section.ts";

/**
 * Jobs that have waited for long, the oldest first, with the reason. Only dispatchers know which unfinished jobs wait;
 * jobs of a dispatcher that does not answer are left out.
 */
export async function waitingJobs(deps: Deps): Promise<Overview["waitingJobs"]> {
  const old = await findOldJobs(deps.db, deps.now() - OVERVIEW_WAITING_AFTER_MS, OVERVIEW_JOBS_LOOKED_AT);
  const states = await liveJobStates(deps, old);
  const waiting = old.flatMap(({ id, queuedAt }) => {
    const reason = states.get(id)?.waiting ?? null;
    return reason === null ? [] : [{ id, queuedAt, waiting: reason }];
  });
  const shown = waiting.slice(0, OVERVIEW_ITEMS_MAX);
  const nodes =
    shown.length === 0
      ? []
      : await findNodesOfJobs(
          deps.db,
          shown.map(({ id }) => id),
        );
  const byJob = new Map(nodes.map((node) => [node.jobId, node]));
  const items = await Promise.all(
    shown.map(async ({ id, queuedAt, waiting: reason }): Promise<WaitingJob[]> => {
      const node = byJob.get(id);
      if (node === undefined) return [];
      const { executionId, workflowId, workflowName, versionId, run } = node;
      const place = placeOf(run, await definitionOf(deps, versionId));
      return [
        { jobId: id, executionId, workflowId, workflowName, ...place, queuedAt: toIso(queuedAt), waiting: reason },
      ];
    }),
  );
  return { items: items.flat(), more: waiting.length > OVERVIEW_ITEMS_MAX };
}
