import { previewScheduleQuerySchema } from "../../../schema/contract/cron.ts";
import type { SchedulePreview } from "../../../schema/contract/cron.ts";
import { cronProblems, runsBetween } from "../../domain/cron/index.ts";
import type { Deps } from "../deps.ts";
import { invalidInput, parseInput } from "../parse.ts";

/** The next runs of a schedule. Throws `invalid_request` with everything that is wrong with it. */
export function previewSchedule(deps: Deps, query: unknown): SchedulePreview {
  const { expression, timezone = "UTC", after, count } = parseInput(previewScheduleQuerySchema, query);
  const schedule = { expression, timezone };
  const problems = cronProblems(schedule);
  if (problems.length > 0) throw invalidInput(problems);
  const from = after === undefined ? deps.now() : Date.parse(after);
  const runs = runsBetween(schedule, from, Number.POSITIVE_INFINITY, count);
  return { expression, timezone, nextRuns: runs.map((run) => new Date(run).toISOString()) };
}
