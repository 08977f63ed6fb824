import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Job } from "../../schema/contract/agent.ts";
import { AgentClient, jobsPath, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { createAgent, createConnection } from "../support/management.ts";
import { refOf } from "../support/dispatcher-harness.ts";
import { enqueueJob, dispatcherObject } from "../support/dispatcher-object.ts";
import { query } from "../support/database.ts";

/** The dispatcher in workerd, with a real database; agents speak HTTP. Every test has its own pool. */
let bellhop: Bellhop;
let pools = 0;
let jobs = 0;

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(async () => {
  await bellhop?.stop();
});

async function setup(agentCount = 1) {
  const poolId = `p-${++pools}`;
  const agents: AgentClient[] = [];
  for (let n = 0; n < agentCount; n += 1) {
    const agent = new AgentClient(bellhop, (await createAgent(bellhop, { poolId })).apiKey);
    await agent.register();
    agents.push(agent);
  }
  const [agent] = agents;
  if (agent === undefined) throw new Error("there is no agent");
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  const enqueue = async (changes: Parameters<typeof enqueueJob>[2] = {}) => {
    const jobId = `job_${++jobs}`;
    await enqueueJob(bellhop, jobId, { connectionId, poolObject: `pool:${poolId}`, ...changes });
    return jobId;
  };
  return { poolId, agent, agents, connectionId, enqueue };
}

async function take(agent: AgentClient): Promise<Job> {
  const [job] = (await agent.poll()).jobs;
  if (job === undefined) throw new Error("the poll brought no job");
  return job;
}

async function row(jobId: string) {
  const [found] = await query(bellhop, "SELECT * FROM jobs WHERE id = ?", [jobId]);
  return found;
}

test("a job goes from the queue to an agent and its result into the record, with the time of every stage", async () => {
  const { agent, enqueue, poolId } = await setup();
  const jobId = await enqueue({ params: { script: "echo hello" }, values: { WHO: "world" } });
  const job = await take(agent);
  expect(job).toMatchObject({
    id: jobId,
    params: { script: "echo hello" },
    values: { WHO: "world" },
    effect: "unsafe",
  });
  const pool = await dispatcherObject(bellhop, `pool:${poolId}`);
  expect(await pool.jobStates([jobId])).toMatchObject([{ jobId, status: "delivered" }]);
  expect(await agent.report(success(job, { stdout: "hello" }))).toEqual(["accepted"]);
  const record = await row(jobId);
  expect(record).toMatchObject({ status: "succeeded", output: '{"stdout":"hello"}' });
  const times = ["queued_at", "assigned_at", "delivered_at", "started_at", "finished_at", "reported_at"];
  const stages = times.map((name) => Number(record?.[name]));
  expect(stages).toEqual(stages.toSorted((a, b) => a - b));
  expect(await pool.jobStates([jobId])).toMatchObject([{ status: "finished" }]);
});

test("queue, leases and finished jobs survive a restart of workerd, and agents continue", async () => {
  const { agent, enqueue } = await setup();
  const [finished, held] = [await enqueue(), await enqueue()];
  const given = (await agent.poll()).jobs;
  expect(given.map(({ id }) => id)).toEqual([finished, held]);
  const [first, second] = given;
  if (first === undefined || second === undefined) throw new Error("two jobs were expected");
  await agent.report(success(first));
  const waiting = await enqueue();

  await bellhop.restartWorker();

  expect(await agent.report(success(first))).toEqual(["duplicate"]);
  const { jobs: after } = await agent.poll([]);
  expect(after.map(({ id }) => id)).toEqual([held, waiting]);
  expect(after[0]).toEqual(second);
  expect(await agent.report(...after.map((job) => success(job)))).toEqual(["accepted", "accepted"]);
});

test("a poll whose response was lost or aborted is answered again with the same lease", async () => {
  const { agent, enqueue } = await setup();
  await enqueue();
  const job = await take(agent);
  expect((await agent.poll([])).jobs).toEqual([job]);
  const abandoned = new AbortController();
  const polling = fetch(`${bellhop.url}/api/v1/agent${jobsPath()}`, {
    headers: { Authorization: `Bearer ${agent.key}`, "Bellhop-Session": agent.session ?? "" },
    signal: abandoned.signal,
  });
  abandoned.abort();
  await polling.catch(() => {});
  expect((await agent.poll([])).jobs).toEqual([job]);
  expect((await agent.poll([refOf(job)])).jobs).toEqual([]);
});

test("many agents that poll at the same moment get every job once", async () => {
  const { agents, enqueue } = await setup(4);
  const ids = new Set<string>();
  for (let n = 0; n < 40; n += 1) ids.add(await enqueue());
  const done: string[] = [];
  await eventually("all jobs are reported", async () => {
    const answers = await Promise.all(
      agents.map(async (agent) => {
        const { jobs: given } = await agent.poll();
        const acks = given.length === 0 ? [] : await agent.report(...given.map((job) => success(job)));
        expect(new Set(acks).difference(new Set(["accepted"])).size).toBe(0);
        return given.map(({ id }) => id);
      }),
    );
    done.push(...answers.flat());
    return done.length >= ids.size;
  });
  expect(done).toHaveLength(ids.size);
  expect(new Set(done)).toEqual(ids);
});

describe("a result", () => {
  test("that is sent twice at the same moment is accepted once", async () => {
    const { agent, enqueue } = await setup();
    await enqueue();
    const result = success(await take(agent));
    const acks = (await Promise.all([agent.report(result), agent.report(result), agent.report(result)])).flat();
    expect(acks.toSorted()).toEqual(["accepted", "duplicate", "duplicate"]);
  });

  test("with another lease is recorded and changes nothing; one of an unknown job gets `unknown`", async () => {
    const { agent, enqueue } = await setup();
    const jobId = await enqueue();
    const job = await take(agent);
    const stale = { ...success(job), lease: "guessed" };
    expect(await agent.report(stale, { ...success(job), jobId: "job_unknown" })).toEqual(["stale", "unknown"]);
    expect(await agent.report(stale)).toEqual(["stale"]);
    const recorded = await query(bellhop, "SELECT lease, status FROM stale_results WHERE job_id = ?", [jobId]);
    expect(recorded).toEqual([{ lease: "guessed", status: "succeeded" }]);
    expect(await row(jobId)).toMatchObject({ status: "queued" });
    expect(await agent.report(success(job))).toEqual(["accepted"]);
  });

  test("gets `retry` while the database is down, and is accepted afterwards", async () => {
    const { agent, enqueue } = await setup();
    const jobId = await enqueue();
    const job = await take(agent);
    await bellhop.stopLibsql();
    try {
      expect(await agent.report(success(job))).toEqual(["retry"]);
      expect(await agent.poll([refOf(job)])).toEqual({ jobs: [], cancelled: [] });
      expect(await agent.heartbeat([refOf(job)])).toEqual({ enabled: true, cancelled: [] });
    } finally {
      await bellhop.startLibsql();
    }
    expect(await agent.report(success(job))).toEqual(["accepted"]);
    expect(await row(jobId)).toMatchObject({ status: "succeeded" });
  });
});

describe("the journal decides who has the jobs", () => {
  test("a second process supersedes the first, and with the same journal continues its jobs", async () => {
    const { agent, enqueue } = await setup();
    await enqueue();
    const job = await take(agent);
    const second = new AgentClient(bellhop, agent.key);
    second.journalId = agent.journalId;
    await second.register();
    const refused = await agent.send("GET", jobsPath([refOf(job)]));
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: "superseded" }]);
    expect((await second.poll()).jobs).toEqual([job]);
    expect(await second.report(success(job))).toEqual(["accepted"]);
  });

  test("with another journal, delivered jobs are lost", async () => {
    const { agent, enqueue } = await setup();
    const jobId = await enqueue();
    const job = await take(agent);
    const second = new AgentClient(bellhop, agent.key);
    await second.register();
    expect((await second.poll()).jobs).toEqual([]);
    const lost = await eventually("the loss is recorded", async () => {
      const record = await row(jobId);
      return record?.["status"] === "failed" ? record : null;
    });
    expect(String(lost["error"])).toContain("agent_lost");
    expect(await second.report(success(job))).toEqual(["stale"]);
  });
});

describe("the alarm", () => {
  test("ends a job whose queue limit has passed, without any call", async () => {
    const { enqueue } = await setup();
    const jobId = await enqueue({ queueTimeoutSeconds: 1, pinnedAgentId: "agt_none" });
    const ended = await eventually("the job ends", async () => {
      const record = await row(jobId);
      return record?.["status"] === "failed" ? record : null;
    });
    expect(String(ended["error"])).toContain("queue_timeout");
  });

  test("survives a restart of workerd, and fires without any call", async () => {
    const { enqueue } = await setup();
    const jobId = await enqueue({ queueTimeoutSeconds: 1, pinnedAgentId: "agt_none" });
    await bellhop.restartWorker();
    await eventually("the job ends", async () => (await row(jobId))?.["status"] === "failed");
  });
});

describe("a change of a connection", () => {
  test("applies to its queued jobs at the next poll: a disabled connection fails them", async () => {
    const { agent, enqueue, connectionId } = await setup();
    const jobId = await enqueue();
    const disabled = await bellhop.api("POST", `/api/v1/automation/connections/${connectionId}/disable`);
    expect(disabled.status).toBe(200);
    expect((await agent.poll()).jobs).toEqual([]);
    await eventually("the job fails", async () =>
      String((await row(jobId))?.["error"]).includes("connection_disabled"),
    );
  });

  test("to another pool ends its waiting test and says what to do", async () => {
    const { agent, enqueue, connectionId } = await setup();
    const other = await setup();
    const jobId = await enqueue({ kind: "connectionTest", action: null });
    const body = { poolId: other.poolId };
    expect((await bellhop.api("PATCH", `/api/v1/automation/connections/${connectionId}`, body)).status).toBe(200);
    await eventually("the test ends", async () => String((await row(jobId))?.["error"]).includes("connection_moved"));
    expect((await agent.poll()).jobs).toEqual([]);
    expect((await other.agent.poll()).jobs).toEqual([]);
  });
});
