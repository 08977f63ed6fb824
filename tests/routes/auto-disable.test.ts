import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema } from "../../schema/contract/management.ts";
import type { Job } from "../../schema/contract/agent.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createWorkflow, dataOf, makeWebhookKey, ring, verb } from "../support/management-api.ts";
import {
  SUCCEEDS,
  createSchedule,
  failuresOf,
  getWorkflow,
  passStartedRuns,
  scheduledRuns,
  scriptGraph,
  tickWhenDue,
} from "../support/schedules.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const setConnection = (id: string, state: "enable" | "disable") => call(bellhop, "POST", `/connections/${id}/${state}`);
const cancel = (executionId: string) => call(bellhop, "POST", `/executions/${executionId}/cancel`);
const auditOf = (id: string) =>
  query(bellhop, "select id, at, actor, detail from audit_log where subject_id = ? and verb = 'auto-disable'", [id]);

/** An active schedule whose runs fail as soon as they start, until its connection is enabled. */
async function failingSchedule(trigger = {}) {
  const graph = await scriptGraph(bellhop);
  const workflow = await createSchedule(bellhop, trigger, graph.definition);
  await setConnection(graph.connectionId, "disable");
  return { id: workflow.id, ...graph };
}

/** An active schedule whose runs wait for an agent, and the agent that ends them. */
async function waitingSchedule() {
  const graph = await scriptGraph(bellhop);
  const { id } = await createSchedule(bellhop, {}, graph.definition);
  const { apiKey } = await createAgent(bellhop, { poolId: graph.poolId });
  const agent = new AgentClient(bellhop, apiKey);
  await agent.register();
  const held: Job[] = [];
  const start = async () => {
    await tickWhenDue(bellhop, id);
    const leases = held.map((job) => ({ jobId: job.id, lease: job.lease }));
    const job = await eventually("the job to be delivered", async () => (await agent.poll(leases)).jobs[0]);
    held.push(job);
    return job;
  };
  const end = async (job: Job, status: "succeeded" | "failed") => {
    const error = status === "failed" ? { code: "nonzero_exit", message: "It ended with 3." } : null;
    expect(await agent.report({ ...success(job), status, error })).toEqual(["accepted"]);
  };
  return { id, start, end };
}

async function tickTimes(id: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await tickWhenDue(bellhop, id);
}

describe("a schedule whose runs fail", () => {
  test("is deactivated by the fifth failure in a row, with reason and time; activating clears both", async () => {
    const { id } = await failingSchedule();
    await tickTimes(id, 4);
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true, autoDisabledAt: null });
    expect(await failuresOf(bellhop, id)).toBe(4);
    const before = Date.now();
    await tickTimes(id, 1);
    const disabled = await getWorkflow(bellhop, id);
    expect(disabled).toMatchObject({ active: false, published: true, nextRunAt: null });
    expect(Date.parse(disabled.autoDisabledAt ?? "")).toBeGreaterThanOrEqual(before);
    expect(disabled.autoDisableReason).toContain("5 scheduled runs in a row failed");
    expect(disabled.autoDisableReason).toContain("connection_disabled");
    expect(disabled.updatedAt).toBe(disabled.autoDisabledAt ?? "");
    const runs = await scheduledRuns(bellhop, id);
    const log = await auditOf(id);
    expect(log).toMatchObject([{ actor: "system", at: Date.parse(disabled.autoDisabledAt ?? "") }]);
    expect(JSON.parse(String(log[0]?.["detail"]))).toEqual({ name: "a workflow", executionId: runs.at(-1)?.id });

    await bellhop.worker.tick(new Date(Date.now() + 3_600_000));
    expect(await scheduledRuns(bellhop, id)).toHaveLength(5);

    const activated = await verb(bellhop, id, "activate");
    expect(activated).toMatchObject({ active: true, autoDisabledAt: null, autoDisableReason: null });
    expect(activated.nextRunAt).not.toBeNull();
    expect(await failuresOf(bellhop, id)).toBe(0);
  });

  test("is deactivated again only after five more failures", async () => {
    const { id } = await failingSchedule();
    await tickTimes(id, 5);
    await verb(bellhop, id, "activate");
    await passStartedRuns(bellhop, id);
    await tickTimes(id, 4);
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true });
    await tickTimes(id, 1);
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: false });
    expect(await auditOf(id)).toHaveLength(2);
  });

  test("counts from 0 after a success", async () => {
    const { id, start, end } = await waitingSchedule();
    for (const status of ["failed", "failed", "failed", "failed", "succeeded", "failed"] as const) {
      await end(await start(), status);
    }
    expect(await failuresOf(bellhop, id)).toBe(1);
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true });
  });

  test("ignores cancelled runs", async () => {
    const { id, start, end } = await waitingSchedule();
    await end(await start(), "failed");
    await start();
    const running = (await scheduledRuns(bellhop, id)).find((run) => run.status === "running");
    expect((await cancel(running?.id ?? "")).status).toBe(200);
    expect(await failuresOf(bellhop, id)).toBe(1);
    await end(await start(), "failed");
    expect(await failuresOf(bellhop, id)).toBe(2);
  });

  test("ignores runs that people start", async () => {
    const { id } = await failingSchedule();
    await tickTimes(id, 2);
    for (let time = 0; time < 6; time += 1) {
      expect((await call(bellhop, "POST", `/workflows/${id}/execute`)).status).toBe(201);
    }
    expect(await failuresOf(bellhop, id)).toBe(2);
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true });
  });

  test("that is activated while active has its count set to 0, and keeps its next run", async () => {
    const { id } = await failingSchedule();
    await tickTimes(id, 3);
    const { nextRunAt } = await getWorkflow(bellhop, id);
    expect(await verb(bellhop, id, "activate")).toMatchObject({ active: true, nextRunAt });
    expect(await failuresOf(bellhop, id)).toBe(0);
  });
});

describe("overlapping runs of a schedule", () => {
  test("count in the order in which they end", async () => {
    const { id, start, end } = await waitingSchedule();
    const first = await start();
    const second = await start();
    await end(second, "failed");
    expect(await failuresOf(bellhop, id)).toBe(1);
    await end(first, "succeeded");
    expect(await failuresOf(bellhop, id)).toBe(0);
  });

  test("that began before an activation do not count after it", async () => {
    const { id, start, end } = await waitingSchedule();
    const old = await start();
    const older = await start();
    await verb(bellhop, id, "deactivate");
    await verb(bellhop, id, "activate");
    await passStartedRuns(bellhop, id);
    await end(old, "failed");
    expect(await failuresOf(bellhop, id)).toBe(0);
    await end(await start(), "failed");
    await end(older, "succeeded");
    expect(await failuresOf(bellhop, id)).toBe(1);
  });

  test("that fail at the same moment deactivate the schedule once", async () => {
    const { id, start, end } = await waitingSchedule();
    const jobs = [await start(), await start(), await start(), await start(), await start()];
    await query(bellhop, "update workflows set consecutive_failures = 3 where id = ?", [id]);
    await Promise.all(jobs.map((job) => end(job, "failed")));
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: false });
    expect(await auditOf(id)).toHaveLength(1);
    expect(await failuresOf(bellhop, id)).toBe(5);
  });
});

describe("a workflow without a schedule is never deactivated", () => {
  test("when a webhook starts it, however often it fails", async () => {
    const { connectionId, definition } = await scriptGraph(bellhop);
    const { id } = await createWorkflow(bellhop, { definition });
    const key = await makeWebhookKey(bellhop, id);
    await verb(bellhop, id, "publish");
    await verb(bellhop, id, "activate");
    await setConnection(connectionId, "disable");
    for (let time = 0; time < 7; time += 1) expect((await ring(bellhop, key)).status).toBe(200);
    await eventually("all executions to fail", async () => {
      const [row] = await query(
        bellhop,
        "select count(*) as n from executions where workflow_id = ? and status = 'failed'",
        [id],
      );
      return row?.["n"] === 7;
    });
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true, autoDisabledAt: null });
    expect(await failuresOf(bellhop, id)).toBe(0);
  });

  test("when it had a schedule as its run began, and has a webhook as the run ends", async () => {
    const { id, start, end } = await waitingSchedule();
    const job = await start();
    await query(bellhop, "update workflows set consecutive_failures = 4 where id = ?", [id]);
    const webhook = { name: "now a webhook's", trigger: { type: "webhook" }, definition: SUCCEEDS };
    await dataOf(await call(bellhop, "PUT", `/workflows/${id}`, webhook), 200, workflowSchema);
    await verb(bellhop, id, "publish");
    await end(job, "failed");
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true, autoDisabledAt: null });
  });
});
