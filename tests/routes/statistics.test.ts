import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { readStatistics } from "../../schema/contract/api/statistics.ts";
import { statisticsSchema } from "../../schema/contract/statistics.ts";
import type { Statistics } from "../../schema/contract/statistics.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { STATISTICS_JOBS_MAX } from "../../schema/limits.ts";
import { newId } from "../../worker/services/ids.ts";
import { bucketStatements } from "../../worker/store/statistics.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { undescribed } from "../support/described.ts";
import { chain, createConnection, createWebhookWorkflow, acceptedId, ended } from "../support/management.ts";
import { call, dataOf, errorPathsOf } from "../support/management-api.ts";
import { query } from "../support/database.ts";
import { WorkingAgent, failure } from "../support/working-agent.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const MINUTE = 60_000;
const iso = (at: number) => new Date(at).toISOString();
const get = (from: number, to: number, buckets: number) =>
  call(
    bellhop,
    "GET",
    `/statistics?${new URLSearchParams({ from: iso(from), to: iso(to), buckets: String(buckets) })}`,
  );
const read = async (from: number, to: number, buckets: number): Promise<Statistics> =>
  dataOf(await get(from, to, buckets), 200, statisticsSchema);
const countsOf = ({ buckets }: Statistics) =>
  buckets.map(({ executions: { running, succeeded, failed, cancelled } }) => [running, succeeded, failed, cancelled]);

async function storeExecution(startedAt: number, status: string): Promise<void> {
  const id = newId("execution", startedAt);
  await query(
    bellhop,
    `INSERT INTO executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at)
      VALUES (?, 'wf_x', 'wfv_x', ?, '{}', ?, 1, ?)`,
    [id, status, id, startedAt],
  );
}

interface StoredJob {
  queuedAt: number;
  deliveredAfterMs?: number;
  startedAfterMs?: number;
  kind?: string;
  poolObject?: string;
  ended?: boolean;
}

function storeJobs(stored: readonly StoredJob[]) {
  const rows = stored.map((job) => [
    newId("job", job.queuedAt),
    job.kind ?? "action",
    job.poolObject ?? "pool:p",
    job.queuedAt,
    job.deliveredAfterMs === undefined ? null : job.queuedAt + job.deliveredAfterMs,
    job.startedAfterMs === undefined ? null : job.queuedAt + job.startedAfterMs,
    job.ended === false ? null : job.queuedAt + 5_000,
  ]);
  return query(
    bellhop,
    `INSERT INTO jobs (id, kind, effect, pool_object, status, attempt, "order", queued_at, delivered_at, started_at, reported_at)
      SELECT value ->> 0, value ->> 1, 'read', value ->> 2, 'succeeded', 1, '{}', value ->> 3, value ->> 4, value ->> 5, value ->> 6
      FROM json_each(?)`,
    [JSON.stringify(rows)],
  );
}

describe("stored executions and jobs", () => {
  const START = Date.UTC(2026, 0, 5, 10);

  test("count in the bucket in which they began, which includes its first moment and excludes its last", async () => {
    await storeExecution(START - 1, "failed");
    await storeExecution(START, "succeeded");
    await storeExecution(START + 10 * MINUTE - 1, "failed");
    await storeExecution(START + 10 * MINUTE, "cancelled");
    await storeExecution(START + 25 * MINUTE, "running");
    await storeExecution(START + 25 * MINUTE, "succeeded");
    await storeExecution(START + 30 * MINUTE, "failed");
    const answer = await read(START, START + 30 * MINUTE, 3);
    expect(countsOf(answer)).toEqual([
      [0, 1, 1, 0],
      [0, 0, 0, 1],
      [1, 1, 0, 0],
    ]);
    expect(answer.executions).toEqual({ running: 1, succeeded: 2, failed: 1, cancelled: 1, sampled: false });
    expect(answer.buckets.map(({ from, to }) => [from, to])).toEqual([
      [iso(START), iso(START + 10 * MINUTE)],
      [iso(START + 10 * MINUTE), iso(START + 20 * MINUTE)],
      [iso(START + 20 * MINUTE), iso(START + 30 * MINUTE)],
    ]);
    expect(await undescribed(readStatistics, await get(START, START + 30 * MINUTE, 3))).toEqual([]);
  });

  test("show how long agents' finished jobs took to be delivered and to begin, as far as they got", async () => {
    const at = START + 60 * MINUTE;
    await storeJobs([
      { queuedAt: at, deliveredAfterMs: 10, startedAfterMs: 30 },
      { queuedAt: at + 1, deliveredAfterMs: 20, startedAfterMs: 50 },
      { queuedAt: at + 2, deliveredAfterMs: 4_000, startedAfterMs: -7 },
      // Delivered, but never begun.
      { queuedAt: at + 3, deliveredAfterMs: 40 },
      // Expired while it waited.
      { queuedAt: at + 4 },
      // In the next bucket.
      { queuedAt: at + MINUTE, deliveredAfterMs: 77, startedAfterMs: 78 },
      { queuedAt: at + 5, deliveredAfterMs: 90_000, startedAfterMs: 90_000, kind: "connectionTest" },
      { queuedAt: at + 6, deliveredAfterMs: 90_000, startedAfterMs: 90_000, poolObject: "notifier:wf_x" },
      { queuedAt: at + 7, deliveredAfterMs: 90_000, startedAfterMs: 90_000, ended: false },
      { queuedAt: at - 1, deliveredAfterMs: 90_000, startedAfterMs: 90_000 },
    ]);
    const { queuedToDelivered, queuedToStarted, buckets } = await read(at, at + 2 * MINUTE, 2);
    expect(buckets.map((bucket) => bucket.queuedToDelivered)).toEqual([
      { count: 4, p50Ms: 20, p95Ms: 4_000, p99Ms: 4_000, sampled: false },
      { count: 1, p50Ms: 77, p95Ms: 77, p99Ms: 77, sampled: false },
    ]);
    expect(buckets[0]?.queuedToStarted).toEqual({ count: 3, p50Ms: 30, p95Ms: 50, p99Ms: 50, sampled: false });
    expect([queuedToDelivered.count, queuedToDelivered.p50Ms, queuedToStarted.count]).toEqual([5, 40, 4]);
  });

  test("are all read up to a limit, and beyond it the response says so", async () => {
    const at = START + 120 * MINUTE;
    const most = STATISTICS_JOBS_MAX / 100;
    const jobs = (count: number, from: number) =>
      storeJobs(
        Array.from({ length: count }, (_, i) => ({ queuedAt: from + i, deliveredAfterMs: i, startedAfterMs: i })),
      );
    await jobs(most, at);
    await jobs(most + 1, at + MINUTE);
    const { buckets, queuedToDelivered } = await read(at, at + 100 * MINUTE, 100);
    const [whole, beyond, none] = buckets.map((bucket) => bucket.queuedToDelivered);
    expect(whole).toMatchObject({ count: most, sampled: false });
    expect(beyond).toMatchObject({ sampled: true });
    expect(none).toEqual({ count: 0, p50Ms: null, p95Ms: null, p99Ms: null, sampled: false });
    expect(queuedToDelivered.sampled).toBe(true);
  });

  test("are empty without executions", async () => {
    const answer = await read(START - 60 * MINUTE, START - 30 * MINUTE, 2);
    expect(countsOf(answer)).toEqual([
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
    expect(answer.queuedToStarted).toEqual({ count: 0, p50Ms: null, p95Ms: null, p99Ms: null, sampled: false });
  });
});

test("a real run counts each retry of a node as a job, and each retry of an execution as an execution", async () => {
  const agent = await WorkingAgent.start(bellhop, "stats");
  try {
    const connectionId = await createConnection(bellhop, { type: "script", poolId: "stats" });
    const [node] = chain([{ id: "run", action: "script.bash", connectionId, params: { script: "true" } }]).nodes;
    const workflow = await createWebhookWorkflow(bellhop, {
      nodes: [{ ...node, retry: { maxAttempts: 2, backoffSeconds: 0 } }],
      edges: [],
    });
    const before = Date.now();
    const figures = async () => {
      const { executions, queuedToDelivered, queuedToStarted } = await read(before - MINUTE, Date.now() + MINUTE, 1);
      return [executions.succeeded, executions.failed, queuedToDelivered.count, queuedToStarted.count];
    };
    agent.does((job) => failure(job));
    const failed = await ended(bellhop, await acceptedId(await workflow.ring({})));
    expect(failed.status).toBe("failed");
    const jobs = agent.jobs.length;
    expect(jobs).toBe(2);
    expect(await figures()).toEqual([0, 1, jobs, jobs]);
    agent.does((job) => ({ ...failure(job), status: "succeeded", error: null }));
    const retried = await call(bellhop, "POST", `/executions/${failed.id}/retry`, {});
    await ended(bellhop, (await dataOf(retried, 201, triggerAnswerSchema)).executionId);
    expect(await figures()).toEqual([1, 1, jobs + 1, jobs + 1]);
  } finally {
    await agent.stop();
  }
});

test.each([
  ["from=2026-01-05T10:00:00Z&to=2026-01-05T10:00:00Z", ["to"]],
  ["from=2026-01-05T10:00:00Z&to=2026-01-04T10:00:00Z", ["to"]],
  ["from=2999-01-01T00:00:00Z&to=2999-01-02T00:00:00Z", ["from"]],
  ["from=2020-01-01T00:00:00Z", ["from"]],
  ["from=yesterday", ["from"]],
  ["buckets=0", ["buckets"]],
  ["buckets=101", ["buckets"]],
  ["buckets=1e1", ["buckets"]],
  ["bucket=3", ["bucket"]],
])("an invalid time range is refused: %s", async (text, paths) => {
  expect(await errorPathsOf(await call(bellhop, "GET", `/statistics?${text}`))).toEqual(paths);
});

test("the default time range is the last 24 hours, by the hour", async () => {
  const answer = await dataOf(await call(bellhop, "GET", "/statistics"), 200, statisticsSchema);
  expect(answer.buckets).toHaveLength(24);
  expect(answer.buckets.every(({ from }) => from.endsWith(":00:00.000Z"))).toBe(true);
  expect(Date.parse(answer.to) - Date.now()).toBeLessThanOrEqual(60 * MINUTE);
});

test("a bucket is a range of an index, read from its end without sorting", async () => {
  const bucket = { startedFrom: 1, startedTo: 2, jobsFrom: "job_1", jobsTo: "job_2" };
  const plans = await Promise.all(
    bucketStatements(bucket, { executions: 10, jobs: 10 }).map(async (statement) => {
      const { sql, params } = new SQLiteAsyncDialect().sqlToQuery(statement);
      const plan = await query(bellhop, `explain query plan ${sql}`, params.map(String));
      return plan.map((row) => String(row["detail"])).join("; ");
    }),
  );
  expect(plans[0]).toContain("SEARCH executions USING INDEX executions_by_start (started_at>? AND started_at<?)");
  expect(plans[1]).toContain("SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 (id>? AND id<?)");
  expect(plans[1]).not.toContain("TEMP B-TREE");
});
