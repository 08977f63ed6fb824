import { findWaits } from "../../store/execution-reads.ts";
import type { Deps } from "../deps.ts";
import { liveJobStates } from "../jobs/index.ts";
import { statusOf } from "./view.ts";

/**
 * Which of these running executions have a waiting step, by the same rule as the view of one execution. libSQL does not
 * know which jobs wait for an agent, so their dispatchers are asked, each once.
 */
export async function waitingOf(deps: Deps, executionIds: readonly string[]): Promise<Set<string>> {
  if (executionIds.length === 0) return new Set();
  const { waiting, openJobs } = await findWaits(deps.db, executionIds);
  const found = new Set<string | null>(waiting.map(({ executionId }) => executionId));
  const undecided = openJobs.filter(({ executionId }) => !found.has(executionId));
  const states = await liveJobStates(deps, undecided);
  for (const { id, executionId } of undecided) {
    if (statusOf("running", states.get(id)) === "waiting") found.add(executionId);
  }
  return new Set(executionIds.filter((id) => found.has(id)));
}
