import { afterAll, beforeAll, expect, test } from "bun:test";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { createAgent, createConnection } from "../support/management.ts";
import { refOf } from "../support/pool-harness.ts";
import { enqueueJob, query } from "../support/pool-object.ts";
import { openDatabase } from "../../worker/store/database.ts";
import { toJobOrder } from "../../worker/store/job-order.ts";
import { recordMoves } from "../../worker/store/pool-jobs.ts";
import type { JobMove } from "../../worker/store/pool-jobs.ts";

let bellhop: Bellhop;

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(async () => {
  await bellhop?.stop();
});

async function movePool(agentId: string, poolId: string | null): Promise<void> {
  const answer = await bellhop.api("PATCH", `/api/v1/automation/agents/${agentId}`, { poolId });
  expect(answer.status).toBe(200);
}

test("an agent that is moved into a pool, gets a job there and is moved out again goes on with it, and its result counts", async () => {
  const created = await createAgent(bellhop, {});
  const agentId = created.agent.id;
  const connectionId = await createConnection(bellhop, { type: "script", agentId });
  const alone = `agent:${agentId}`;
  await enqueueJob(bellhop, "job_1", { connectionId, poolObject: alone, pinnedAgentId: agentId });
  const placeOf = async () => (await query(bellhop, "SELECT pool_object FROM jobs WHERE id = 'job_1'"))[0];

  await movePool(agentId, "r");
  await eventually("the job follows its agent", async () => (await placeOf())?.["pool_object"] === "pool:r");
  const agent = new AgentClient(bellhop, created.apiKey);
  await agent.register();
  const [job] = (await agent.poll()).jobs;
  if (job === undefined) throw new Error("the poll brought no job");
  expect((await agent.poll([refOf(job)])).cancelled).toEqual([]);

  await movePool(agentId, null);
  await agent.register();
  expect(await agent.poll([refOf(job)])).toEqual({ jobs: [], cancelled: [] });
  expect(await agent.report(success(job))).toEqual(["accepted"]);
  expect(await query(bellhop, "SELECT status, agent_id FROM jobs WHERE id = 'job_1'")).toEqual([
    { status: "succeeded", agent_id: agentId },
  ]);
  expect(await query(bellhop, "SELECT job_id FROM stale_results")).toEqual([]);
});

test("libSQL keeps a job's latest move, in whatever order its pools tell of theirs", async () => {
  const connectionId = await createConnection(bellhop, { type: "script", poolId: "s" });
  await enqueueJob(bellhop, "job_2", { connectionId, poolObject: "pool:s", attempt: 2 });
  const db = openDatabase({ DATABASE_URL: bellhop.libsql.url });
  const move = (changes: Partial<JobMove>) =>
    recordMoves(db, [{ jobId: "job_2", attempt: 2, poolObject: "pool:t", pinnedAgentId: null, moves: 1, ...changes }]);
  const place = async () => {
    const [row] = await query(bellhop, `SELECT pool_object, "order" FROM jobs WHERE id = 'job_2'`);
    const { poolObject, pinnedAgentId, moves, params } = toJobOrder(JSON.parse(String(row?.["order"])));
    expect(poolObject).toBe(String(row?.["pool_object"]));
    expect(params).toEqual({ script: "echo hello" });
    return { poolObject, pinnedAgentId, moves };
  };
  await move({ poolObject: "agent:x", pinnedAgentId: "x", moves: 3 });
  expect(await place()).toEqual({ poolObject: "agent:x", pinnedAgentId: "x", moves: 3 });
  await move({ moves: 2 });
  await move({ moves: 4, attempt: 1 });
  expect(await place()).toEqual({ poolObject: "agent:x", pinnedAgentId: "x", moves: 3 });
  await move({ moves: 4 });
  expect(await place()).toEqual({ poolObject: "pool:t", pinnedAgentId: null, moves: 4 });
});
