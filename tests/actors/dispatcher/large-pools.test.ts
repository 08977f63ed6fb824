import { describe, expect, test } from "bun:test";
import { jobStatesOf, presenceOf, viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { POOL, connection, order, refOf } from "../../support/dispatcher-harness.ts";
import type { DispatcherHarness } from "../../support/dispatcher-harness.ts";
import { withAgents } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
/** The number of agents that share a row of presence. */
const ROW_AGENTS = 64;

function idsOf(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `agent_${String(n).padStart(4, "0")}`);
}

function remove(harness: DispatcherHarness, agentId: string): void {
  const settings = { agentId, name: agentId, epoch: 2, enabled: true, removed: true };
  harness.dispatcher.configureAgent(settings);
}

function rowsOf(harness: DispatcherHarness, table: "agents" | "presences"): number {
  return harness.database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
}

describe("agents that fall silent together", () => {
  test("are stored together, many in one row, and stay offline after a restart", async () => {
    const ids = idsOf(3 * ROW_AGENTS);
    const { harness, agents } = withAgents(...ids);
    for (const agent of agents) await agent.heartbeat();
    await harness.settled();
    // Earlier heartbeats are on disk by then.
    await harness.advance(80 * SECOND_MS);
    harness.now += 300 * SECOND_MS;
    const before = harness.written;
    await harness.ring();
    // One row for every 64 agents, and the pool's own row.
    expect(harness.written - before).toBeLessThanOrEqual(3 + 2);
    expect(presenceOf(harness.state, ids, harness.now).every(({ status }) => status === "Offline")).toBe(true);
    harness.restart();
    expect([...harness.state.agents.members()].every(({ presence }) => presence.offline)).toBe(true);
  });
});

describe("the waiting reason of each of many jobs", () => {
  test("follows from the job's own requirements when all queue limits end together", async () => {
    const { harness, agents } = withAgents("a", "b", "c", "d");
    harness.connections.set(
      "con_secret",
      connection("con_secret", { type: "custom", hasCredential: true, isDelivered: true }),
    );
    for (const agent of agents) await agent.poll([], 0);
    await agents[0]?.heartbeat(["con_secret"]);
    const late = { queueTimeoutSeconds: 60 };
    harness.enqueue(
      order("job_1", late),
      order("job_2", late),
      order("job_3", { ...late, connectionId: "con_secret" }),
      order("job_4", { ...late, connectionId: "con_secret" }),
      order("job_5", { ...late, params: { script: "id", secretsFrom: "con_nobody" } }),
      order("job_6", { ...late, connectionId: "con_b", pinnedAgentId: "b" }),
    );
    harness.connections.set("con_b", connection("con_b", { target: { poolObject: POOL, pinnedAgentId: "b" } }));
    harness.connections.set("con_nobody", connection("con_nobody", { type: "custom" }));
    for (let second = 0; second < 60; second += 5) {
      await agents[0]?.heartbeat(["con_secret"]);
      for (const agent of agents) await agent.poll([], 0);
      await harness.advance(5 * SECOND_MS);
    }
    const why = (jobId: string) => harness.end(jobId)?.error?.message.split("Reason for the wait: ")[1];
    expect(why("job_1")).toBe("No agent of the pool can take it: 4 busy with as many jobs as it may run.");
    expect(why("job_2")).toBe(why("job_1"));
    expect(why("job_3")).toBe(
      "No agent of the pool can take it: 3 without the connection's credential, 1 busy with as many jobs as it may run. Deliver the credential of connection con_secret.",
    );
    expect(why("job_4")).toBe(why("job_3"));
    expect(why("job_5")).toStartWith("No agent of the pool can take it: 4 without the secrets that its script gets.");
    expect(why("job_6")).toBe("Its agent b is busy with as many jobs as it may run.");
  });

  test("counts disabled and busy agents in addition to agents without the credential", async () => {
    const { harness, agents } = withAgents("a", "b", "c", "d");
    harness.connections.set(
      "con_secret",
      connection("con_secret", { type: "custom", hasCredential: true, isDelivered: true }),
    );
    for (const agent of agents) await agent.poll([], 0);
    await agents[0]?.heartbeat(["con_secret"]);
    await harness.dispatcher.configureAgent({ agentId: "b", name: "b", epoch: 2, enabled: false, removed: false });
    harness.enqueue(order("job_1", { connectionId: "con_secret" }));
    expect(viewPool(harness.state, "web", harness.now).waiting[0]).toMatchObject({
      code: "no_credential",
      reason:
        "No agent of the pool can take it: 2 without the connection's credential, 1 disabled, 1 busy with as many jobs as it may run. Deliver the credential of connection con_secret.",
    });
    expect(jobStatesOf(harness.state, ["job_1", "job_unknown"], harness.now)).toMatchObject([
      { jobId: "job_1", status: "queued" },
    ]);
  });
});

describe("an agent that was deleted", () => {
  test("is deleted with its rows a day later, and a caller with its session must register again", async () => {
    const ids = idsOf(2 * ROW_AGENTS);
    const { harness, agents } = withAgents(...ids);
    await Promise.all(ids.slice(2).map((agentId) => remove(harness, agentId)));
    await harness.advance(23 * HOUR_MS);
    expect(rowsOf(harness, "agents")).toBe(ids.length);
    expect(await agents[5]?.tryPoll()).toEqual({ refused: "unauthorized" });
    await harness.advance(3 * HOUR_MS);
    expect(rowsOf(harness, "agents")).toBe(2);
    expect(rowsOf(harness, "presences")).toBe(1);
    expect(await agents[5]?.tryPoll()).toEqual({ refused: "register_again" });
    expect(presenceOf(harness.state, [ids[5] ?? ""], harness.now)).toMatchObject([
      { status: "Offline", lastHeartbeatAt: null },
    ]);
    harness.restart();
    expect([...harness.state.agents.members()].map(({ settings }) => settings.agentId)).toEqual(ids.slice(0, 2));
    expect(harness.state.agents.get(ids[0] ?? "")?.presence.lastSeenAt).not.toBeNull();
    expect(harness.state.agents.forgetAt).toBeNull();
  });

  test("is deleted on time also when the pool slept until then", async () => {
    const { harness } = withAgents("a", "b");
    remove(harness, "b");
    harness.sleeps = true;
    await harness.advance(26 * HOUR_MS);
    expect(rowsOf(harness, "agents")).toBe(1);
  });

  test("is an ordinary member when it is moved here again", async () => {
    const { harness, agents } = withAgents("a", "b");
    remove(harness, "b");
    await harness.advance(26 * HOUR_MS);
    const [, b] = agents;
    if (b === undefined) throw new Error("unreachable");
    b.epoch = 3;
    b.register();
    await b.heartbeat();
    harness.enqueue(order("job_1"));
    expect(await b.fetch()).toEqual(["job_1"]);
    await harness.advance(26 * HOUR_MS);
    expect(rowsOf(harness, "agents")).toBe(2);
  });
});

describe("among equal agents, the one that was idle the longest", () => {
  test("gets the next job, even if the pool was evicted from memory in between", async () => {
    const { harness, agents } = withAgents("a", "b", "c");
    const given = new Map<string, number>();
    for (let n = 0; n < 30; n += 1) {
      harness.now += 30 * SECOND_MS;
      harness.restart();
      for (const agent of agents) {
        await agent.heartbeat();
        await agent.poll();
      }
      harness.enqueue(order(`job_${n}`));
      for (const agent of agents) {
        for (const job of (await agent.poll()).jobs) {
          given.set(agent.agentId, (given.get(agent.agentId) ?? 0) + 1);
          await agent.report(refOf(job));
        }
      }
    }
    expect(Object.fromEntries(given)).toEqual({ a: 10, b: 10, c: 10 });
  });
});
