import { CRON_CATCH_UP_MS } from "../../../schema/limits.ts";
import { countRuns, nextRun, runsBetween } from "./index.ts";
import type { CountedRuns, Schedule } from "./index.ts";

const MINUTE_MS = 60_000;

/** A tick's write to a schedule that was due at `dueAt`: its next time, and the runs that were missed. */
export interface ScheduleMove {
  readonly dueAt: number | null;
  readonly nextRunAt: number | null;
  readonly missed: CountedRuns | null;
  readonly recordedAt: number;
}

export interface RunDecision {
  /** The minute to start now; null when all due minutes are too old. */
  readonly start: number | null;
  readonly missed: CountedRuns | null;
  readonly next: number | null;
}

/**
 * A tick's decision at `now` about a schedule that has been due since `dueAt`: the latest due minute of the last ten
 * minutes starts, once. All the others are missed.
 */
export function decideRuns(schedule: Schedule, dueAt: number, now: number): RunDecision {
  const beforeDue = dueAt - 1;
  const since = Math.max(beforeDue, now - CRON_CATCH_UP_MS);
  const start = runsBetween(schedule, since, now, CRON_CATCH_UP_MS / MINUTE_MS + 1).at(-1) ?? null;
  return {
    start,
    missed: countRuns(schedule, beforeDue, start === null ? now : start - 1),
    next: nextRun(schedule, now),
  };
}

/** One execution of a workflow for each UTC minute: `cron:2026-11-21T06:05Z`. */
export function cronTriggerKey(minute: number): string {
  return `cron:${new Date(minute).toISOString().slice(0, 16)}Z`;
}
