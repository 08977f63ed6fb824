import { describe, expect, test } from "bun:test";
import type { ExecutionStatus } from "../../schema/contract/execution.ts";
import { summarize } from "../../worker/domain/statistics/summary.ts";
import type { BucketFigures } from "../../worker/domain/statistics/summary.ts";
import { statisticsWindow } from "../../worker/domain/statistics/window.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 2, 29, 14, 25);

describe("the window of statistics", () => {
  const windowOf = (requested: { from?: number; to?: number; buckets?: number }) =>
    statisticsWindow({ from: requested.from, to: requested.to, buckets: requested.buckets ?? 24 }, NOW);

  test("is 24 whole UTC hours including the current one by default", () => {
    const window = windowOf({});
    if (!window.ok) throw new Error("refused");
    expect(window.buckets).toHaveLength(24);
    expect(window.buckets[0]).toEqual({ from: Date.UTC(2026, 2, 28, 15), to: Date.UTC(2026, 2, 28, 16) });
    expect(window.buckets[23]).toEqual({ from: Date.UTC(2026, 2, 29, 14), to: Date.UTC(2026, 2, 29, 15) });
  });

  test.each([
    [{ to: NOW - HOUR }, [NOW - HOUR - DAY, NOW - HOUR]],
    [{ from: NOW - HOUR }, [NOW - HOUR, Date.UTC(2026, 2, 29, 15)]],
    [{ from: NOW - 10, to: NOW + 1_000, buckets: 1 }, [NOW - 10, NOW + 1_000]],
    [{ from: NOW - 92 * DAY, to: NOW }, [NOW - 92 * DAY, NOW]],
  ])("has the requested length: %j", (requested, [from, to]) => {
    const window = windowOf(requested);
    if (!window.ok) throw new Error("refused");
    expect([window.buckets[0]?.from, window.buckets.at(-1)?.to]).toEqual([from, to]);
  });

  test("is split into any number of buckets without gap or overlap", () => {
    for (let buckets = 1; buckets <= 100; buckets += 1) {
      const window = windowOf({ from: NOW - 1_000_003, to: NOW, buckets });
      if (!window.ok) throw new Error("refused");
      expect(window.buckets).toHaveLength(buckets);
      for (const [index, { from, to }] of window.buckets.entries()) {
        expect(from).toBe(window.buckets[index - 1]?.to ?? NOW - 1_000_003);
        expect(Math.abs(to - from - 1_000_003 / buckets)).toBeLessThanOrEqual(1);
      }
      expect(window.buckets.at(-1)?.to).toBe(NOW);
    }
  });

  test.each([
    [{ from: NOW, to: NOW }, "to"],
    [{ from: NOW, to: NOW - DAY }, "to"],
    [{ from: NOW + 1, to: NOW + DAY }, "from"],
    [{ from: NOW - 92 * DAY - 1, to: NOW }, "from"],
    [{ from: NOW - 23_999, to: NOW }, "buckets"],
    [{ from: NOW + 2 * HOUR }, "from"],
  ])("is refused with a reason when it makes no sense: %j", (requested, path) => {
    expect(windowOf(requested)).toMatchObject({ ok: false, errors: [{ path }] });
  });
});

describe("figures", () => {
  const bucket = (
    from: number,
    counts: Partial<Record<ExecutionStatus, number>>,
    deliveredAfterMs: number[],
    sampled: { executions?: boolean; jobs?: boolean } = {},
  ): { span: { from: number; to: number }; figures: BucketFigures } => ({
    span: { from, to: from + HOUR },
    figures: {
      executions: {
        counts: (["running", "succeeded", "failed", "cancelled"] as const).flatMap((status) => {
          const count = counts[status];
          return count === undefined ? [] : [{ status, count }];
        }),
        sampled: sampled.executions === true,
      },
      jobs: { deliveredAfterMs, startedAfterMs: [], sampled: sampled.jobs === true },
    },
  });

  test("are computed for each bucket, and in total from every value", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    const { from, to, executions, queuedToDelivered, queuedToStarted, buckets } = summarize([
      bucket(0, { failed: 1, running: 2 }, hundred),
      bucket(HOUR, { failed: 3, succeeded: 4, cancelled: 5 }, [1_000]),
      bucket(2 * HOUR, {}, []),
    ]);
    expect([from, to]).toEqual(["1970-01-01T00:00:00.000Z", "1970-01-01T03:00:00.000Z"]);
    expect(executions).toEqual({ running: 2, succeeded: 4, failed: 4, cancelled: 5, sampled: false });
    expect(queuedToDelivered).toEqual({ count: 101, p50Ms: 51, p95Ms: 96, p99Ms: 100, sampled: false });
    expect(buckets.map((one) => [one.queuedToDelivered.count, one.queuedToDelivered.p99Ms])).toEqual([
      [100, 99],
      [1, 1_000],
      [0, null],
    ]);
    expect(queuedToStarted).toEqual({ count: 0, p50Ms: null, p95Ms: null, p99Ms: null, sampled: false });
  });

  test("are not negative when an agent's clock is behind", () => {
    expect(summarize([bucket(0, {}, [-40, -20, 7])]).queuedToDelivered).toMatchObject({ p50Ms: 0, p95Ms: 7 });
  });

  test("are marked as sampled, in the bucket and in total, when rows were left out", () => {
    const summary = summarize([
      bucket(0, { failed: 1 }, [1], { jobs: true }),
      bucket(HOUR, {}, [], { executions: true }),
    ]);
    expect(summary.buckets.map((one) => [one.executions.sampled, one.queuedToStarted.sampled])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect([summary.executions.sampled, summary.queuedToDelivered.sampled]).toEqual([true, true]);
  });
});
