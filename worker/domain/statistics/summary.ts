import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { ExecutionCounts, Latency, Statistics } from "../../../schema/contract/statistics.ts";
import { nearestRank } from "../metrics/quantiles.ts";
import type { Span } from "./window.ts";

/** The figures read for a bucket. `sampled`: only a part of its rows was read. */
export interface BucketFigures {
  readonly executions: {
    readonly counts: readonly { status: ExecutionStatus; count: number }[];
    readonly sampled: boolean;
  };
  readonly jobs: {
    readonly deliveredAfterMs: readonly number[];
    readonly startedAfterMs: readonly number[];
    readonly sampled: boolean;
  };
}

/** The figures of each bucket and of all together. Overall percentiles come from all values, not from percentiles. */
export function summarize(buckets: readonly { span: Span; figures: BucketFigures }[]): Statistics {
  const all = buckets.map(({ figures }) => figures);
  const from = Math.min(...buckets.map(({ span }) => span.from));
  const to = Math.max(...buckets.map(({ span }) => span.to));
  return {
    ...timesOf({ from, to }),
    ...figuresOf(all),
    buckets: buckets.map(({ span, figures }) => ({ ...timesOf(span), ...figuresOf([figures]) })),
  };
}

function timesOf({ from, to }: Span) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function figuresOf(of: readonly BucketFigures[]) {
  const sampled = of.some(({ jobs }) => jobs.sampled);
  return {
    executions: countsOf(of),
    queuedToDelivered: latencyOf(
      of.flatMap(({ jobs }) => jobs.deliveredAfterMs),
      sampled,
    ),
    queuedToStarted: latencyOf(
      of.flatMap(({ jobs }) => jobs.startedAfterMs),
      sampled,
    ),
  };
}

function countsOf(of: readonly BucketFigures[]): ExecutionCounts {
  const counts = { running: 0, succeeded: 0, failed: 0, cancelled: 0 };
  for (const { executions } of of) {
    for (const { status, count } of executions.counts) counts[status] += count;
  }
  return { ...counts, sampled: of.some(({ executions }) => executions.sampled) };
}

function latencyOf(values: readonly number[], sampled: boolean): Latency {
  // The agent's clock may be behind, but nothing starts before it is queued.
  const sorted = values.map((value) => Math.max(0, value)).sort((a, b) => a - b);
  return {
    count: sorted.length,
    p50Ms: nearestRank(sorted, 0.5),
    p95Ms: nearestRank(sorted, 0.95),
    p99Ms: nearestRank(sorted, 0.99),
    sampled,
  };
}
