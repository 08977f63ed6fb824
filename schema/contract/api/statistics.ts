import type { Operation } from "../operation.ts";
import { readStatisticsQuerySchema, statisticsSchema } from "../statistics.ts";

export const readStatistics = {
  id: "readStatistics",
  method: "GET",
  path: "/api/v1/automation/statistics",
  tag: "Statistics",
  summary: "Show outcomes of executions and dispatch times of jobs",
  description:
    "In buckets of equal length. An execution counts in the bucket in which it started, with its present status; each retry is a separate execution. A job counts in the bucket in which it was queued, once it has ended, with the stages that it reached. Each attempt is a separate job; notifications, connection tests and credentials are left out. Times of `queuedToStarted` are by the agent's clock. At most 60,000 executions and 12,000 jobs are read, evenly over the buckets; `sampled` marks buckets with more. `/metrics` counts all.",
  access: "automation:read",
  query: readStatisticsQuerySchema,
  answer: { kind: "data", status: 200, data: statisticsSchema },
} as const satisfies Operation;
