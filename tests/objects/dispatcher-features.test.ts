import { afterAll, beforeAll, expect, test } from "bun:test";
import { jobViewSchema } from "../../schema/contract/execution.ts";
import { agentSchema, poolSchema } from "../../schema/contract/management.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createConnection } from "../support/management.ts";
import { enqueueJob, recordJob } from "../support/dispatcher-object.ts";

/** Jobs that only newer agents can run, in workerd with a real database. Every test has its own pool. */
let bellhop: Bellhop;
let pools = 0;
/** The feature that a job needs of its agent, and that such an agent registers. */
const NEW = { features: ["namedValues" as const] };
/** The registration of an agent that is older than features. */
const OLD = { features: undefined };
const TOO_OLD = "is too old for named values. Update it.";

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(async () => {
  await bellhop?.stop();
});

async function setup() {
  const poolId = `f-${++pools}`;
  const join = async (name: string, registration: Record<string, unknown> = OLD) => {
    const { agent, apiKey } = await createAgent(bellhop, { name, poolId });
    const client = new AgentClient(bellhop, apiKey);
    await client.register(registration);
    return { id: agent.id, client };
  };
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  return { poolId, join, target: { connectionId, poolObject: `pool:${poolId}` } };
}

const idsFor = async (client: AgentClient) => (await client.poll()).jobs.map(({ id }) => id);

test("a job that needs a feature goes to an agent that registered it, and other jobs also to old agents", async () => {
  const { join, target } = await setup();
  const [old, fresh] = [await join("old"), await join("fresh", NEW)];
  await enqueueJob(bellhop, "both_1", { ...target, ...NEW });
  await enqueueJob(bellhop, "both_2", target);
  expect(await idsFor(old.client)).toEqual(["both_2"]);
  const [job] = (await fresh.client.poll()).jobs;
  expect(job?.id).toBe("both_1");
  if (job !== undefined) expect(await fresh.client.report(success(job))).toEqual(["accepted"]);
});

test("a job that needs a feature waits and says why, and starts once an agent has registered it", async () => {
  const { poolId, join, target } = await setup();
  const { id, client } = await join("old");
  await enqueueJob(bellhop, "old_1", { ...target, ...NEW });
  expect(await idsFor(client)).toEqual([]);
  const { waiting } = await call(bellhop, "GET", `/pools/${poolId}`, undefined, poolSchema);
  expect(waiting).toMatchObject([
    { jobId: "old_1", code: "no_feature", reason: `No agent of the pool can take it: old ${TOO_OLD}` },
  ]);
  const shown = () => call(bellhop, "GET", "/jobs/old_1", undefined, jobViewSchema);
  expect(await shown()).toMatchObject({ status: "queued", waitingFor: waiting[0]?.reason });
  const registered = async () =>
    (await call(bellhop, "GET", `/agents/${id}`, undefined, agentSchema)).registration?.features;
  expect(await registered()).toEqual([]);
  await client.register(NEW);
  expect(await registered()).toEqual(NEW.features);
  expect((await shown()).waitingFor).toBe("Agent old gets the job with its next poll.");
  expect(await idsFor(client)).toEqual(["old_1"]);
});

test("agents keep their registered features after a restart of workerd", async () => {
  const { join, target } = await setup();
  const [old, fresh] = [await join("old"), await join("fresh", NEW)];
  await enqueueJob(bellhop, "again_1", { ...target, ...NEW });
  await bellhop.restartWorker();
  expect(await idsFor(old.client)).toEqual([]);
  expect(await idsFor(fresh.client)).toEqual(["again_1"]);
});

test("a job that is sent to its pool again from its record still needs its features", async () => {
  const { join, target } = await setup();
  const { client } = await join("old");
  await recordJob(bellhop, "record_1", { ...target, ...NEW, queuedAt: Date.now() - 120_000 });
  await recordJob(bellhop, "record_2", { ...target, queuedAt: Date.now() - 120_000 });
  await bellhop.worker.tick();
  expect(await eventually("the other job to arrive", async () => (await idsFor(client))[0])).toBe("record_2");
  const { waitingFor } = await call(bellhop, "GET", "/jobs/record_1", undefined, jobViewSchema);
  expect(waitingFor).toContain(TOO_OLD);
});
