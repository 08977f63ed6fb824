import { expect, test } from "bun:test";
import type { CredentialSync } from "../../../worker/actors/dispatcher/events.ts";
import { isAgentJob } from "../../../worker/actors/dispatcher/rules/job.ts";
import { AgentProbe, DispatcherHarness, connection, order, refOf } from "../../support/dispatcher-harness.ts";
import { withAgent } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;
const SYNC: CredentialSync = {
  connection: { id: "con_1", type: "ssh", config: {} },
  params: { state: "present", version: 1, jwe: "sealed" },
};

const syncOrder = (jobId: string, agentId = "a") =>
  order(jobId, {
    kind: "credentialSync",
    action: null,
    pinnedAgentId: agentId,
    params: { state: "present", version: 1 },
  });

test("an agent's list of credentials is recorded once, and an idle heartbeat records nothing", async () => {
  const { harness, agent } = withAgent();
  agent.heartbeat(["con_1"]);
  await harness.settled();
  expect(harness.recorded).toEqual([{ agentId: "a", credentials: [["con_1", 1]] }]);
  const { written } = harness;
  agent.heartbeat(["con_1"]);
  await harness.settled();
  expect(harness.recorded).toHaveLength(1);
  expect(harness.written).toBe(written);
});

test("a list that could not be recorded is recorded when the database is back, also after a restart", async () => {
  const { harness, agent } = withAgent();
  harness.databaseDown = true;
  agent.heartbeat(["con_1"]);
  await harness.settled();
  expect(harness.recorded).toEqual([]);
  harness.restart();
  harness.databaseDown = false;
  await harness.advance(60 * SECOND_MS);
  expect(harness.recorded).toEqual([{ agentId: "a", credentials: [["con_1", 1]] }]);
});

test("while the database is away, many agents' reports cost few calls, and all are recorded later", async () => {
  const harness = new DispatcherHarness();
  const agents = Array.from({ length: 100 }, (_, n) => new AgentProbe(harness, `agent_${n}`));
  for (const agent of agents) agent.register();
  harness.databaseDown = true;
  for (const agent of agents) agent.heartbeat(["con_1"]);
  await harness.settled();
  expect(harness.recordCalls).toBeLessThan(20);
  harness.databaseDown = false;
  await harness.advance(2_000);
  expect(new Set(harness.recorded.map(({ agentId }) => agentId)).size).toBe(100);
});

test("a credential goes only to its agent, with the ciphertext that is read when the job is delivered", async () => {
  const { harness, agent } = withAgent();
  const other = new AgentProbe(harness, "b");
  other.register();
  harness.syncs.set("job_1", SYNC);
  harness.enqueue(syncOrder("job_1"));
  expect(await other.fetch()).toEqual([]);
  expect((await agent.poll()).jobs).toMatchObject([{ connection: SYNC.connection, params: SYNC.params }]);
  const stored = harness.database.query<{ payload: string }, []>("SELECT payload FROM jobs").get();
  expect(stored?.payload).not.toContain("sealed");
});

test("the job of a superseded credential ends and is not delivered", async () => {
  const { harness, agent } = withAgent();
  harness.enqueue(syncOrder("job_1"));
  expect(await agent.fetch()).toEqual([]);
  await harness.settled();
  expect(harness.end("job_1")).toMatchObject({ status: "cancelled", error: { code: "credential_superseded" } });
});

test("a superseded credential whose delivery was lost is not sent again", async () => {
  const { harness, agent } = withAgent();
  harness.syncs.set("job_1", SYNC);
  harness.enqueue(syncOrder("job_1"));
  expect(await agent.fetch()).toEqual(["job_1"]);
  harness.syncs.clear();
  expect(await agent.fetch()).toEqual([]);
  await harness.settled();
  expect(harness.end("job_1")).toMatchObject({ error: { code: "credential_superseded" } });
});

test("credential jobs for a leaving agent end immediately, so that they can be ordered again", async () => {
  const { harness, agent } = withAgent();
  const answer = Promise.withResolvers<void>();
  harness.recordGate = answer.promise;
  const lacking = syncOrder("job_1");
  if (!isAgentJob(lacking)) throw new Error("the order is for no agent");
  harness.lacking.push({ order: lacking, sync: SYNC });
  agent.heartbeat();
  harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: true });
  answer.resolve();
  await harness.settled();
  await harness.advance(1_000);
  expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_moved" } });
});

test("credential jobs for an agent that moves or is removed end, so that they can be ordered again", async () => {
  const { harness } = withAgent();
  harness.syncs.set("job_1", SYNC);
  harness.enqueue(syncOrder("job_1"), order("job_2"));
  harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: true });
  await harness.settled();
  expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_moved" } });
  expect(harness.end("job_2")).toBeUndefined();
});

test("a job of a connection with an optional credential runs on an agent that has it", async () => {
  const { harness, agent } = withAgent();
  harness.connections.set(
    "con_1",
    connection("con_1", { type: "custom", config: { fields: {} }, hasCredential: true }),
  );
  harness.enqueue(order("job_1"));
  expect(await agent.fetch()).toEqual([]);
  agent.heartbeat(["con_1"]);
  expect(await agent.fetch()).toEqual(["job_1"]);
});

test("a caller that waits for a job's end gets it, or an immediate answer if there is no such job", async () => {
  const { harness, agent } = withAgent();
  await harness.dispatcher.waitForEnd("job_nothing", 60_000);
  harness.enqueue(order("job_1"));
  const [job] = (await agent.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  const ended = harness.dispatcher.waitForEnd("job_1", 60_000);
  await agent.report(refOf(job));
  await ended;
  expect(harness.end("job_1")).toMatchObject({ status: "succeeded" });
});

test("an agent with a new key counts as without credentials, and gets no job that needs one", async () => {
  const { harness, agent } = withAgent();
  harness.connections.set(
    "con_1",
    connection("con_1", { type: "custom", config: { fields: {} }, hasCredential: true }),
  );
  agent.heartbeat(["con_1"]);
  await harness.settled();
  agent.register({ publicKey: { kty: "EC", crv: "P-256", x: "z".repeat(43), y: "y".repeat(43) } });
  await harness.settled();
  harness.enqueue(order("job_1"));
  expect(await agent.fetch()).toEqual([]);
  expect(harness.recorded.at(-1)).toEqual({ agentId: "a", credentials: [] });
});

test("an agent's reports are recorded one at a time, the newest last", async () => {
  const { harness, agent } = withAgent();
  const { promise, resolve } = Promise.withResolvers<void>();
  harness.recordGate = promise;
  agent.heartbeat(["con_1"]);
  agent.heartbeat(["con_1", "con_2"]);
  resolve();
  await harness.settled();
  expect(harness.recorded.map(({ credentials }) => credentials.length)).toEqual([1, 2]);
});

test("a credential job that is ordered while its agent moves away ends, so that the new pool orders it", async () => {
  const { harness } = withAgent();
  harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: true });
  harness.syncs.set("job_1", SYNC);
  harness.enqueue(syncOrder("job_1"));
  await harness.advance(60 * SECOND_MS);
  expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_moved" } });
});

test("a connection test waits for an agent with the credential and goes to it", async () => {
  const { harness, agent } = withAgent();
  const config = { defaultChannel: "C024BE91L" };
  harness.connections.set(
    "con_1",
    connection("con_1", { type: "chat", config, hasCredential: true, isDelivered: true }),
  );
  harness.enqueue(order("job_1", { kind: "connectionTest", action: null }));
  expect(await agent.fetch()).toEqual([]);
  agent.heartbeat(["con_1"]);
  expect(await agent.fetch()).toEqual(["job_1"]);
});

test("an agent's first report is recorded even if it is empty, and absurd versions are capped", async () => {
  const { harness, agent } = withAgent();
  agent.heartbeat([]);
  agent.heartbeat([]);
  await harness.settled();
  expect(harness.recorded).toEqual([{ agentId: "a", credentials: [] }]);
  harness.dispatcher.heartbeat(agent.caller, {
    held: [],
    load: 0,
    version: "1.0.0",
    credentials: [{ connectionId: "con_1", version: Number.MAX_SAFE_INTEGER }],
  });
  await harness.settled();
  expect(harness.recorded.at(-1)?.credentials).toEqual([["con_1", 2 ** 31]]);
});

test("a credential that an agent's report lacks is delivered with its next poll", async () => {
  const { harness, agent } = withAgent();
  harness.lacking.push({ order: syncOrder("job_1"), sync: SYNC });
  agent.heartbeat(["con_2"]);
  await harness.settled();
  expect((await agent.poll()).jobs).toMatchObject([{ id: "job_1", kind: "credentialSync", params: SYNC.params }]);
});
