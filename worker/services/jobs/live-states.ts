import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import type { JobState } from "../../actors/dispatcher/index.ts";
import { failureMessage } from "../../store/errors.ts";

/**
 * The dispatchers' states of jobs that have not ended: only dispatchers know the stages between queued and ended
 * (docs/design/dispatch.md#stages). Jobs of a dispatcher that does not answer are left out; the caller shows libSQL's
 * state.
 */
export async function liveJobStates(
  deps: Deps,
  jobs: readonly { id: string; poolObject: string }[],
): Promise<Map<string, JobState>> {
  const answers = await Promise.all(
    [...Map.groupBy(jobs, (job) => job.poolObject)].map(([poolObject, members]) =>
      statesOf(
        deps,
        poolObject,
        members.map((job) => job.id),
      ),
    ),
  );
  return new Map(answers.flat().map((state) => [state.jobId, state]));
}

async function statesOf(deps: Deps, poolObject: string, jobIds: string[]): Promise<JobState[]> {
  try {
    return await deps.objects.dispatcher(poolObject).jobStates(jobIds);
  } catch (error) {
    logWarning("a pool did not report the states of its jobs", { poolObject, error: failureMessage(error) });
    return [];
  }
}
