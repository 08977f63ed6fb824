import { missedRunsSchema, previewScheduleQuerySchema, schedulePreviewSchema } from "../cron.ts";
import { pageQuerySchema } from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Schedules";

export const previewSchedule = {
  id: "previewSchedule",
  method: "GET",
  path: "/api/v1/automation/schedules/preview",
  tag,
  summary: "Show when a schedule would be due",
  description:
    "Five fields: minute 0-59, hour 0-23, day of month 1-31, month 1-12, day of week 0-6 (0 is Sunday), each *, */N, N-M or N,M,O. When both days are restricted, either is enough. Where daylight saving skips a local time, a schedule that names hours runs right after the gap; where it repeats one, it runs the first time. A schedule of every hour follows the clock.",
  access: "automation:read",
  query: previewScheduleQuerySchema,
  answer: { kind: "data", status: 200, data: schedulePreviewSchema },
} as const satisfies Operation;

export const listMissedRuns = {
  id: "listMissedRuns",
  method: "GET",
  path: "/api/v1/automation/workflows/{id}/missed-runs",
  tag,
  summary: "List the runs that a schedule missed",
  description:
    "Newest first, one entry for each gap: times at which the workflow was due and nothing could start it. Of those within ten minutes the latest is caught up on, once, and is not listed.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: missedRunsSchema },
  errors: ["not_found"],
} as const satisfies Operation;
