import type { Operation } from "../operation.ts";
import { readStatisticsQuerySchema, statisticsSchema } from "../statistics.ts";

export const readStatistics = {
  id: "readStatistics",
  method: "GET",
  path: "/api/v1/automation/statistics",
  tag: "Statistics",
  summary: "Show how executions came out, and how soon jobs were dispatched",
  description:
    "In buckets of equal length. An execution counts in the bucket in which it started, with the status that it has now; each retry is an execution of its own. A job counts in the bucket in which it was queued, once it has ended and as far as it came, and each attempt is a job of its own; notifications, connection tests and credentials are left out. Times of `queuedToStarted` are by the agent's clock. At most 60,000 executions and 12,000 jobs are looked at, evenly over the buckets; `sampled` says where there were more. `/metrics` counts without a bound.",
  access: "automation:read",
  query: readStatisticsQuerySchema,
  answer: { kind: "data", status: 200, data: statisticsSchema },
} as const satisfies Operation;
