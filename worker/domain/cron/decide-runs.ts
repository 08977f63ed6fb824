import { CRON_CATCH_UP_MS } from "../../../schema/limits.ts";
import { countRuns, nextRun, runsBetween } from "./index.ts";
import type { CountedRuns, Schedule } from "./index.ts";

const MINUTE_MS = 60_000;

/** What a tick writes of a schedule that was due at `dueAt`: its next time, and what nothing started. */
export interface ScheduleMove {
  readonly dueAt: number | null;
  readonly nextRunAt: number | null;
  readonly missed: CountedRuns | null;
  readonly recordedAt: number;
}

export interface RunDecision {
  /** The minute to start now; null when all that were due are too old. */
  readonly start: number | null;
  readonly missed: CountedRuns | null;
  readonly next: number | null;
}

/**
 * What a tick at `now` does with a schedule that has been due since `dueAt`: of what fell due in the last ten minutes it
 * starts the latest minute, once. All the others are missed.
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
