import { z } from "zod";
import { STATISTICS_BUCKETS_DEFAULT, STATISTICS_BUCKETS_MAX } from "../limits.ts";
import type { ExecutionStatus } from "./execution.ts";

/** Figures over a span of time: how executions ended, and how soon agents got their jobs. */
export const readStatisticsQuerySchema = z.strictObject({
  from: z.iso
    .datetime({ offset: true })
    .optional()
    .describe("The beginning of the first bucket, inclusive; default: 24 hours before `to`."),
  to: z.iso
    .datetime({ offset: true })
    .optional()
    .describe("The end of the last bucket, exclusive; default: the end of the present UTC hour."),
  buckets: z
    .preprocess(
      // Number() also accepts 1e2, 0x10 and blanks.
      (value) => (typeof value === "string" && /^\d{1,15}$/u.test(value) ? Number(value) : value),
      z.int().min(1).max(STATISTICS_BUCKETS_MAX),
    )
    .default(STATISTICS_BUCKETS_DEFAULT)
    .describe("The number of equal parts of the time span."),
});

/** Of a bucket that exceeds the limit only the newest entries count, and `sampled` is then true. */
const sampled = z.boolean().describe("The bucket has more entries than are read: these figures cover only the newest.");

/** The present statuses of the executions that started then. */
export const executionCountsSchema = z.object({
  running: z.int().min(0),
  succeeded: z.int().min(0),
  failed: z.int().min(0),
  cancelled: z.int().min(0),
  sampled,
}) satisfies z.ZodType<Record<ExecutionStatus, number>>;
export type ExecutionCounts = z.infer<typeof executionCountsSchema>;

/** Nearest-rank percentiles; null without values. */
export const latencySchema = z.object({
  count: z.int().min(0),
  p50Ms: z.int().min(0).nullable(),
  p95Ms: z.int().min(0).nullable(),
  p99Ms: z.int().min(0).nullable(),
  sampled,
});
export type Latency = z.infer<typeof latencySchema>;

const figures = {
  executions: executionCountsSchema,
  /** From being queued until an agent had the job. */
  queuedToDelivered: latencySchema,
  /** From being queued until the agent began, by the agent's clock. */
  queuedToStarted: latencySchema,
};
export const statisticsBucketSchema = z.object({ from: z.iso.datetime(), to: z.iso.datetime(), ...figures });
export type StatisticsBucket = z.infer<typeof statisticsBucketSchema>;

export const statisticsSchema = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** For all buckets together. */
  ...figures,
  buckets: z.array(statisticsBucketSchema),
});
export type Statistics = z.infer<typeof statisticsSchema>;
