import { missedRunsSchema, previewScheduleQuerySchema, schedulePreviewSchema } from "../cron.ts";
import { pageQuerySchema } from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Schedules";

export const previewSchedule = {
  id: "previewSchedule",
  method: "GET",
  path: "/api/v1/automation/schedules/preview",
  tag,
  summary: "Preview the times of a schedule",
  description:
    "Five fields: minute 0-59, hour 0-23, day of month 1-31, month 1-12, day of week 0-6 (0 is Sunday), each *, */N, N-M or N,M,O. When both days are restricted, either is enough. When daylight saving skips a local time, a schedule with named hours runs directly after the gap; when a local time repeats, it runs the first time. A schedule of every hour follows the clock.",
  access: "automation:read",
  query: previewScheduleQuerySchema,
  answer: { kind: "data", status: 200, data: schedulePreviewSchema },
} as const satisfies Operation;

export const listMissedRuns = {
  id: "listMissedRuns",
  method: "GET",
  path: "/api/v1/automation/workflows/{id}/missed-runs",
  tag,
  summary: "List missed runs of a schedule",
  description:
    "Newest first, one entry for each gap: times at which the workflow was due and could not start. The latest run within ten minutes starts once, late, and is not listed.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: missedRunsSchema },
  errors: ["not_found"],
} as const satisfies Operation;
