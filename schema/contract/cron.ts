import { z } from "zod";

/** A named schedule in the designer (docs/design/workflows.md#cron-expressions). */
export interface CronPreset {
  readonly name: string;
  readonly label: string;
  readonly expression: string;
}

export const CRON_PRESETS = [
  { name: "every5Minutes", label: "Every 5 minutes", expression: "*/5 * * * *" },
  { name: "hourly", label: "Hourly", expression: "0 * * * *" },
  { name: "dailyAtMidnight", label: "Daily at midnight", expression: "0 0 * * *" },
  { name: "mondayAt9", label: "Monday at 09:00", expression: "0 9 * * 1" },
  { name: "firstOfMonthAtNoon", label: "First of the month at noon", expression: "0 12 1 * *" },
] as const satisfies readonly CronPreset[];

export const missedReasonSchema = z
  .enum(["late", "queue_full"])
  .describe(
    "`late`: the schedule was due and could not start in time. `queue_full`: too many runs with the same key waited.",
  );
export type MissedReason = z.infer<typeof missedReasonSchema>;

/** A span of runs that were due and did not run. */
export const missedRunsSchema = z.object({
  reason: missedReasonSchema,
  firstDueAt: z.iso.datetime(),
  lastDueAt: z.iso.datetime(),
  /** How often it was due in the gap, both ends included. */
  count: z.int().min(1),
  recordedAt: z.iso.datetime(),
});
export type MissedRunsView = z.infer<typeof missedRunsSchema>;

const PREVIEW_RUNS_DEFAULT = 5;
const PREVIEW_RUNS_MAX = 50;

export const previewScheduleQuerySchema = z.strictObject({
  expression: z.string().min(1).max(255),
  timezone: z.string().min(1).max(64).optional(),
  /** Runs after this moment; default: now. */
  after: z.iso.datetime({ offset: true }).optional(),
  count: z.coerce.number().int().min(1).max(PREVIEW_RUNS_MAX).default(PREVIEW_RUNS_DEFAULT),
});
export const schedulePreviewSchema = z.object({
  expression: z.string(),
  timezone: z.string(),
  nextRuns: z.array(z.iso.datetime()),
});
export type SchedulePreview = z.infer<typeof schedulePreviewSchema>;
