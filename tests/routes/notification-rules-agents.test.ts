import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { AgentClient, success } from "../support/agent-client.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createConnection } from "../support/management-api.ts";
import { NoticeBench, ORIGIN } from "../support/notice-bench.ts";
import { failure } from "../support/working-agent.ts";

/** Events of agents, pools, credentials and the database, from the real service to a real HTTP server. */
let place: NoticeBench;
beforeAll(async () => {
  place = await NoticeBench.start();
});
afterAll(() => place.stop());
beforeEach(() => place.renewPeer());

test("an agent, its pool and its queue are reported when they are away for long, and when they are back", async () => {
  const { bellhop } = place.bench;
  const poolId = "away";
  const { apiKey } = await createAgent(bellhop, { name: "porter", poolId });
  const agent = new AgentClient(bellhop, apiKey);
  await agent.register();
  expect((await agent.send("POST", "/offline", { held: [] })).status).toBe(200);
  for (const on of ["agent_offline", "pool_offline", "queue_old"])
    await place.rule({ on, minutes: 5, poolIds: [poolId] });
  const { id: connectionId } = await createConnection(bellhop, { poolId });
  const waiting = { nodes: [place.bench.action("wait", "x", { connectionId })], edges: [] };
  const executionId = await place.bench.run(waiting);
  await place.bench.waiting(executionId, "wait");
  await place.tickIn(3);
  await place.tickIn(6);
  await place.tickIn(7);
  await eventually("three notices", () => place.peer.requests.length === 3);
  expect(place.subjects().toSorted()).toEqual([
    'A job waits too long in the pool "away"',
    'All agents of the pool "away" are offline',
    'The agent "porter" is offline',
  ]);
  await place.bench.cancel(executionId);
  await agent.register();
  await eventually("the ends", async () => {
    await place.tickIn(8);
    return place.peer.requests.length === 6;
  });
  expect(place.subjects().slice(3).toSorted()).toEqual([
    'No job waits too long in the pool "away"',
    'The agent "porter" is online again',
    'The pool "away" has an online agent again',
  ]);
});

test("a job that waits for an agent without a pool is reported", async () => {
  const { bellhop } = place.bench;
  const { agent } = await createAgent(bellhop, { name: "alone" });
  await place.rule({ on: "queue_old", minutes: 5 });
  const { id: connectionId } = await createConnection(bellhop, { agentId: agent.id, poolId: undefined });
  const executionId = await place.bench.run({
    nodes: [place.bench.action("wait", "x", { connectionId })],
    edges: [],
  });
  await place.bench.waiting(executionId, "wait");
  await place.tickIn(6);
  await eventually("the notice", () => place.peer.requests.length === 1);
  expect(place.received()).toMatchObject([
    { subject: 'A job waits too long for the agent "alone"', url: `${ORIGIN}/agents/${agent.id}` },
  ]);
  await place.bench.cancel(executionId);
});

test("a credential that an agent refused or did not fetch is reported once", async () => {
  await place.rule({ on: "credential_failed" });
  const { id } = await createConnection(place.bench.bellhop, { name: "shop-db" });
  const { agent } = await createAgent(place.bench.bellhop, { name: "vault" });
  const put = (version: number, status: string, error: string) =>
    query(
      place.bench.bellhop,
      `insert or replace into credentials (connection_id, agent_id, state, version, status, error, updated_at)
        values (?, ?, 'present', ?, ?, ?, ?)`,
      [id, agent.id, version, status, error, Date.now()],
    );
  await put(1, "failed", "It is for another agent.");
  const refused = await place.arrives('The credential of "shop-db" was refused by the agent "vault"');
  expect(refused).toMatchObject({ message: "It is for another agent.", url: `${ORIGIN}/connections/${id}` });
  await put(2, "expired", "No agent fetched it within 24 hours.");
  await place.arrives('The credential of "shop-db" did not reach the agent "vault"');
  for (const _ of [1, 2, 3]) await place.tick();
  expect(place.peer.requests).toHaveLength(2);
});

test("a login that a target refuses is reported once, from an execution and from a test of the connection", async () => {
  const { bellhop } = place.bench;
  await place.rule({ on: "credential_failed" });
  const connect = (name: string) => createConnection(bellhop, { name, poolId: "p" });
  const [used, tested, fine] = [await connect("used-db"), await connect("tested-db"), await connect("fine-db")];
  const message = "The server refused the login of shop: the password has expired.";
  place.bench.agent.does((job) => {
    const checks = [
      "not a check",
      { name: "TCP connection", ok: true, detail: "reached" },
      { name: "Authentication", ok: job.connection?.id === fine.id, detail: message },
    ];
    if (job.kind === "connectionTest") return success(job, { ok: true, latencyMs: 1, checks });
    return { ...failure(job), error: { code: "authentication_failed", message } };
  });
  const graph = { nodes: [place.bench.action("query", "x", { connectionId: used.id })], edges: [] };
  const { id } = await place.bench.ended(await place.bench.run(graph));
  await place.bench.ended(await place.bench.run(graph));
  for (const { id: tried } of [fine, tested]) await call(bellhop, "POST", `/connections/${tried}/test`);
  const first = await place.arrives('The login of the connection "used-db" was refused');
  expect(first.message.split("\n")).toEqual([message, "Agent: an agent", `Execution: ${id}`]);
  expect(first.url).toBe(`${ORIGIN}/connections/${used.id}`);
  const second = await place.arrives('The login of the connection "tested-db" was refused');
  expect(second.message).toContain("Found by a test of the connection");
  await place.tick();
  expect(place.peer.requests).toHaveLength(2);
});

test("a database that is away is reported while it is away, and when it is back", async () => {
  await place.rule({ on: "database_trouble", minutes: 2 });
  await place.tick();
  await place.bench.bellhop.stopLibsql();
  await place.tick();
  await place.bench.bellhop.restartWorker();
  await place.tickIn(3);
  await eventually("the notice", () => place.peer.requests.length === 1);
  await place.bench.bellhop.startLibsql();
  await place.arrives("The service can read its database again");
  expect(place.subjects()).toEqual(["The service cannot read its database", "The service can read its database again"]);
});
