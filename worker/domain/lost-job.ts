import { endJob } from "./job-lifecycle.ts";
import type { PoolJob } from "./job-lifecycle.ts";

/**
 * What becomes of a job whose agent is gone, whose journal was replaced, or whose outcome is unknown (invariant 5): the
 * one place that decides it. It fails with `agent_lost` whatever its effect: running it again is a person's decision.
 */
export function loseJob(job: PoolJob, now: number): PoolJob {
  return endJob(job, "agent_lost", now);
}
