import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JobResult } from "../../schema/contract/agent.ts";
import { connectionTestSchema, lastTestAnswerSchema, laterTestSchema } from "../../schema/contract/management.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createConnection, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const testOf = (id: string, query = "") => call(bellhop, "POST", `/connections/${id}/test${query}`);
const CHECKS = [
  { name: "TCP connection", ok: true, detail: "reached" },
  { name: "Authentication", ok: false, detail: "the password was refused: deliver it again" },
];

async function startAgent(): Promise<{ id: string; client: AgentClient }> {
  const { agent, apiKey } = await createAgent(bellhop, {});
  const client = new AgentClient(bellhop, apiKey);
  await client.register();
  await client.heartbeat();
  return { id: agent.id, client };
}

/** Has the agent answer the test that is requested meanwhile. */
async function answered(client: AgentClient, result: (job: Parameters<typeof success>[0]) => JobResult) {
  const job = await eventually("the test to reach its agent", async () => (await client.poll()).jobs[0]);
  await client.report(result(job));
  return job;
}

test("a test gives the agent's checks, latency and time, and names the check that failed", async () => {
  const { id: agentId, client } = await startAgent();
  const { id } = await createConnection(bellhop, { poolId: null, agentId });
  const asked = testOf(id);
  const job = await answered(client, (job) => success(job, { ok: false, latencyMs: 12, checks: CHECKS }));
  expect(job).toMatchObject({ kind: "connectionTest", action: null, params: {}, effect: "read", connection: { id } });
  const outcome = await dataOf(await asked, 200, connectionTestSchema);
  expect(outcome).toMatchObject({ ok: false, latencyMs: 12, checks: CHECKS, agentId, agentName: "an agent" });
  expect(outcome.error).toBe("Authentication: the password was refused: deliver it again");
  expect(Date.parse(outcome.testedAt)).toBeGreaterThan(Date.now() - 60_000);
});

test("the last test is kept: its outcome, who tested on which agent, and whether the connection changed since", async () => {
  const { id: agentId, client } = await startAgent();
  const { id } = await createConnection(bellhop, { poolId: null, agentId });
  const last = async () =>
    (await dataOf(await call(bellhop, "GET", `/connections/${id}/test`), 200, lastTestAnswerSchema)).lastTest;
  expect(await last()).toBeNull();
  const asked = testOf(id);
  await answered(client, (job) => success(job, { ok: false, latencyMs: 12, checks: CHECKS }));
  const outcome = await dataOf(await asked, 200, connectionTestSchema);
  const kept = { ...outcome, by: "bootstrap" };
  expect(await last()).toEqual({ ...kept, isBeforeChange: false });
  // A test that still runs hides nothing.
  await testOf(id, "?waitSeconds=0");
  expect(await last()).toEqual({ ...kept, isBeforeChange: false });
  await call(bellhop, "POST", `/connections/${id}/disable`);
  expect(await last()).toEqual({ ...kept, isBeforeChange: false });
  await call(bellhop, "PATCH", `/connections/${id}`, { name: "another name" });
  expect(await last()).toEqual({ ...kept, isBeforeChange: true });
  await answered(client, (job) => success(job, { ok: true, latencyMs: 3, checks: [] }));
  expect(await last()).toMatchObject({ ok: true, isBeforeChange: true });
});

test("the last test of a notification connection is kept without its checks", async () => {
  const { id } = await createConnection(bellhop, { type: "notification", poolId: null, config: {} });
  const { ok } = await dataOf(await testOf(id), 200, connectionTestSchema);
  const answer = await dataOf(await call(bellhop, "GET", `/connections/${id}/test`), 200, lastTestAnswerSchema);
  expect(answer.lastTest).toMatchObject({ ok, by: "bootstrap", checks: [], isBeforeChange: false });
  await problemOf(await call(bellhop, "GET", "/connections/con_none/test"), 404, "not_found");
});

test("a passed test has no error", async () => {
  const { id: agentId, client } = await startAgent();
  const { id } = await createConnection(bellhop, { poolId: null, agentId });
  const asked = testOf(id);
  await answered(client, (job) => success(job, { ok: true, latencyMs: 3, checks: CHECKS.slice(0, 1) }));
  const outcome = await dataOf(await asked, 200, connectionTestSchema);
  expect(outcome).toMatchObject({ ok: true });
  expect(outcome).not.toHaveProperty("error");
});

test("a test that the agent could not begin says why", async () => {
  const { id: agentId, client } = await startAgent();
  const { id } = await createConnection(bellhop, { poolId: null, agentId });
  const asked = testOf(id);
  const error = { code: "unsupported_action", message: "this agent cannot do that" };
  await answered(client, (job) => ({ ...success(job, null), status: "failed", error }));
  expect(await dataOf(await asked, 200, connectionTestSchema)).toMatchObject({
    ok: false,
    error: "this agent cannot do that",
    checks: [],
  });
});

test("a test that no agent answers in time continues as a job, which shows its end", async () => {
  const { id: agentId, client } = await startAgent();
  const { id } = await createConnection(bellhop, { poolId: null, agentId });
  const { jobId, waitingFor } = await dataOf(await testOf(id, "?waitSeconds=0"), 202, laterTestSchema);
  expect(waitingFor).toContain("gets the job with its next poll");
  const job = async () => (await call(bellhop, "GET", `/jobs/${jobId}`)).json();
  expect(await job()).toMatchObject({ data: { kind: "connectionTest", status: "assigned", connectionId: id } });
  await answered(client, (job) => success(job, { ok: true, latencyMs: 3, checks: [] }));
  expect(await job()).toMatchObject({ data: { status: "succeeded", output: { ok: true } } });
});

test("a disabled connection can be tested", async () => {
  const { id: agentId, client } = await startAgent();
  const { id } = await createConnection(bellhop, { poolId: null, agentId });
  await call(bellhop, "POST", `/connections/${id}/disable`);
  const asked = testOf(id);
  await answered(client, (job) => success(job, { ok: true, latencyMs: 3, checks: [] }));
  expect((await asked).status).toBe(200);
});

test("a waiting test whose connection is given to another agent ends and says to test again", async () => {
  const [first, second] = [await startAgent(), await startAgent()];
  const { id } = await createConnection(bellhop, { poolId: null, agentId: first.id });
  const asked = testOf(id);
  await eventually("the test to wait", async () => {
    const body = await (await call(bellhop, "GET", `/audit?subjectId=${id}`)).text();
    return body.includes('"verb":"test"');
  });
  await call(bellhop, "PATCH", `/connections/${id}`, { agentId: second.id });
  const outcome = await dataOf(await asked, 200, connectionTestSchema);
  expect(outcome).toMatchObject({ ok: false, checks: [] });
  expect(outcome.error).toContain("Test the connection again.");
  expect((await first.client.poll()).jobs).toEqual([]);
  expect((await second.client.poll()).jobs).toEqual([]);
});

test("a connection without an agent and a pool, or whose agent is gone, cannot be tested", async () => {
  const nowhere = await createConnection(bellhop, { poolId: null });
  await problemOf(await testOf(nowhere.id), 409, "conflict");
  const { id: agentId } = await startAgent();
  const orphan = await createConnection(bellhop, { poolId: null, agentId });
  await call(bellhop, "DELETE", `/agents/${agentId}`);
  await problemOf(await testOf(orphan.id), 409, "conflict");
  await problemOf(await testOf("con_nothing"), 404, "not_found");
  expect(await errorPathsOf(await testOf(nowhere.id, "?waitSeconds=31"))).toEqual(["waitSeconds"]);
});

test("a test of a notification channel is answered by the service", async () => {
  const { id } = await createConnection(bellhop, { type: "notification", config: {}, poolId: null });
  const outcome = await dataOf(await testOf(id), 200, connectionTestSchema);
  expect(outcome.checks.map(({ name }) => name)).toEqual(["Channel email", "Channel sms", "Channel webhook"]);
  expect(outcome.ok).toBe(outcome.checks.some(({ ok }) => ok));
  const email = outcome.checks.find(({ name }) => name === "Channel email");
  expect(email).toMatchObject({ ok: false });
  expect(email?.detail).toContain("NOTIFY_EMAIL");
});
