import { cronProblems, nextRun } from "../../worker/domain/cron/index.ts";
import type { Schedule } from "../../worker/domain/cron/index.ts";

/** The next times (epoch ms) at which a schedule is due; empty for an invalid schedule. */
export function nextRuns(schedule: Schedule, afterMs: number, count: number): number[] {
  if (cronProblems(schedule).length > 0) return [];
  const runs: number[] = [];
  for (let run = nextRun(schedule, afterMs); run !== null && runs.length < count; run = nextRun(schedule, run)) {
    runs.push(run);
  }
  return runs;
}
