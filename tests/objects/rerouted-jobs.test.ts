import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JobReport, Reroute } from "../../worker/domain/job-order.ts";
import { openDatabase, writeBatch } from "../../worker/store/database.ts";
import { toJobOrder } from "../../worker/store/job-order.ts";
import { confirmJobs, rerouteJob } from "../../worker/store/jobs.ts";
import { eventually } from "../support/eventually.ts";
import { createConnection } from "../support/management.ts";
import { enqueueJob } from "../support/dispatcher-object.ts";
import { query } from "../support/database.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

/** Jobs whose connection moves while they wait: dispatchers, `WorkflowRuns` and libSQL in workerd. */
let bench: WorkflowBench;

beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench?.stop());

async function waiting() {
  const connectionId = await createConnection(bench.bellhop, { type: "script", poolId: "idle" });
  const executionId = await bench.run({ nodes: [{ ...bench.action("a"), connectionId }], edges: [] });
  const jobId = nodeRun(await bench.get(executionId), "a").jobId ?? "";
  return { connectionId, executionId, jobId };
}

async function recorded(jobId: string) {
  const [row] = await query(bench.bellhop, `SELECT pool_object, status, "order" FROM jobs WHERE id = ?`, [jobId]);
  const order = toJobOrder(JSON.parse(String(row?.["order"])));
  expect(order.poolObject).toBe(String(row?.["pool_object"]));
  return { order, status: row?.["status"] };
}

describe("a job whose connection is moved to another pool", () => {
  test("runs there with its id, as its first attempt", async () => {
    const { connectionId, executionId, jobId } = await waiting();
    const before = await recorded(jobId);
    await bench.call("PATCH", `/connections/${connectionId}`, { poolId: "p" });
    const execution = await bench.ended(executionId);
    expect(execution.status).toBe("succeeded");
    expect(nodeRun(execution, "a")).toMatchObject({ jobId, attempt: 1, status: "succeeded" });
    const { order, status } = await recorded(jobId);
    expect(status).toBe("succeeded");
    expect(order).toEqual({ ...before.order, poolObject: "pool:p", pinnedAgentId: null, reroutes: 1 });
  });

  test("may move on and back, and a cancel reaches its present pool", async () => {
    const { connectionId, executionId, jobId } = await waiting();
    for (const [times, poolId] of ["idle-2", "idle", "idle-2"].entries()) {
      await bench.call("PATCH", `/connections/${connectionId}`, { poolId });
      await eventually("the job to be in the new pool", async () => {
        const { order } = await recorded(jobId);
        return order.reroutes === times + 1 && order.poolObject === `pool:${poolId}`;
      });
      await eventually("the job to be in its pool", async () => (await waitingIn(poolId)).includes(jobId));
    }
    await bench.cancel(executionId);
    await eventually("the job to leave its pool", async () => !(await waitingIn("idle-2")).includes(jobId));
    expect((await recorded(jobId)).status).toBe("cancelled");
    expect(bench.agent.jobs.map(({ id }) => id)).not.toContain(jobId);
  });
});

async function waitingIn(poolId: string): Promise<string[]> {
  const { waiting: jobs } = await bench.call<{ waiting: { jobId: string }[] }>("GET", `/pools/${poolId}`);
  return jobs.map(({ jobId }) => jobId);
}

test("libSQL keeps a job's latest order, in any order of the reports", async () => {
  await enqueueJob(bench.bellhop, "job_2", { connectionId: bench.connectionId, poolObject: "pool:s", attempt: 2 });
  const db = openDatabase({ url: bench.bellhop.libsql.url });
  const times = { queuedAt: 1, assignedAt: null, deliveredAt: null, startedAt: null, finishedAt: null, reportedAt: 1 };
  const none = { status: "cancelled", output: null, error: null, agentId: null, times, lost: false } as const;
  const reroute = async (changes: Partial<Reroute>, attempt = 2) => {
    const report: JobReport = { jobId: "job_2", attempt, ...none };
    const to = { poolObject: "pool:t", pinnedAgentId: null, reroutes: 1, ...changes };
    await writeBatch(db, [rerouteJob(db, report, to)]);
    const { order } = await recorded("job_2");
    expect(order.params).toEqual({ script: "echo hello" });
    return [order.poolObject, order.pinnedAgentId, order.reroutes, order.lost];
  };
  const confirmedAt = async () =>
    (await query(bench.bellhop, "SELECT confirmed_at FROM jobs WHERE id = 'job_2'"))[0]?.["confirmed_at"];
  await confirmJobs(db, ["job_2"], 7, "pool:s");
  expect(await confirmedAt()).toBe(7);
  const third = ["agent:x", "x", 3, 1];
  expect(await reroute({ poolObject: "agent:x", pinnedAgentId: "x", reroutes: 3, lost: 1, lostAt: 5 })).toEqual(third);
  // The confirmation of the former dispatcher does not count for the new one.
  await confirmJobs(db, ["job_2"], 8, "pool:s");
  expect(await confirmedAt()).toBeNull();
  await confirmJobs(db, ["job_2"], 9, "agent:x");
  expect(await confirmedAt()).toBe(9);
  expect(await reroute({ reroutes: 2 })).toEqual(third);
  expect(await reroute({ reroutes: 3 })).toEqual(third);
  expect(await reroute({ reroutes: 4 }, 1)).toEqual(third);
  expect(await reroute({ reroutes: 4 })).toEqual(["pool:t", null, 4, 1]);
});
