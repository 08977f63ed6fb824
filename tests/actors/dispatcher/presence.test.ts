import { describe, expect, test } from "bun:test";
import { presenceOf, viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { AgentProbe, DispatcherHarness, connection, order, refOf } from "../../support/dispatcher-harness.ts";
import { withAgent, withDelivered } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;

function statusOf(harness: DispatcherHarness) {
  const [presence] = presenceOf(harness.state, ["a"], harness.now);
  return [presence?.status, presence?.healthScore];
}

describe("status and score", () => {
  test("fall after 60 s without a heartbeat, reach Offline at 90 s, and recover with a heartbeat", async () => {
    const { harness, agent } = withAgent();
    const seen: unknown[] = [];
    for (const step of [59, 16, 14, 1]) {
      await harness.advance(step * SECOND_MS);
      seen.push(statusOf(harness));
    }
    expect(seen).toEqual([
      ["Online", 100],
      ["Online", 75],
      ["Online", 52],
      ["Offline", 50],
    ]);
    agent.heartbeat();
    expect(statusOf(harness)).toEqual(["Online", 100]);
  });

  test("do not profit from polls: an agent without heartbeats gets no new jobs and keeps its leases", async () => {
    const { harness, agent, ref } = await withDelivered();
    for (let waited = 0; waited < 120; waited += 5) {
      await agent.poll([ref]);
      await harness.advance(5 * SECOND_MS);
    }
    expect(statusOf(harness)).toEqual(["Offline", 50]);
    harness.enqueue(order("job_2"));
    expect(await agent.fetch([ref])).toEqual([]);
    expect(harness.ends).toEqual([]);
  });

  test("follow the last hour's action jobs except cancelled ones, also after a restart", async () => {
    const { harness, agent } = withAgent();
    const ends = ["succeeded", "failed", "failed", "timed_out", "interrupted", "cancelled"] as const;
    for (const [n, status] of ends.entries()) {
      harness.enqueue(order(`job_${n}`));
      for (const job of (await agent.poll()).jobs) await agent.report(refOf(job), { status });
    }
    expect(statusOf(harness)).toEqual(["Degraded", 60]);
    // 60 is 50 for the heartbeat and a fifth of 50 for one success of five.
    const [presence] = presenceOf(harness.state, ["a"], harness.now);
    expect(presence?.health).toEqual({ heartbeatPoints: 50, successPoints: 10, finishedJobs: 5, succeededJobs: 1 });
    harness.restart();
    expect(statusOf(harness)).toEqual(["Degraded", 60]);
    await harness.advance(61 * 60 * SECOND_MS);
    agent.heartbeat();
    expect(statusOf(harness)).toEqual(["Online", 100]);
  });

  test("go to Offline immediately with a goodbye, also after a restart", () => {
    const { harness, agent } = withAgent();
    expect(harness.dispatcher.offline(agent.caller)).toEqual({});
    expect(statusOf(harness)).toEqual(["Offline", 50]);
    harness.restart();
    expect(statusOf(harness)).toEqual(["Offline", 50]);
    agent.register();
    expect(statusOf(harness)).toEqual(["Online", 100]);
  });
});

test("the ids of an agent's running jobs are returned only on request", async () => {
  const { harness, agent, ref } = await withDelivered();
  const idsOf = () => presenceOf(harness.state, ["a"], harness.now, true)[0]?.runningJobIds;
  expect(idsOf()).toEqual(["job_1"]);
  expect(presenceOf(harness.state, ["a"], harness.now)[0]).not.toHaveProperty("runningJobIds");
  await agent.report(ref, { status: "succeeded" });
  expect(idsOf()).toEqual([]);
});

describe("an agent that falls silent", () => {
  test("is shown as possibly down by the jobs that wait for it, until it is offline", async () => {
    const { harness, agent } = withAgent();
    await agent.poll();
    await harness.advance(23 * SECOND_MS);
    harness.enqueue(order("job_1"));
    const reason = () => viewPool(harness.state, "web", harness.now).waiting[0]?.reason;
    expect(reason()).toContain("a does not ask for jobs and was last heard from 23 s ago. It may be down");
    await harness.advance(70 * SECOND_MS);
    expect(reason()).toContain("a is offline.");
  });

  test("does not count as heard when the service itself came back", async () => {
    const { harness, agent } = withAgent();
    await agent.poll();
    await harness.advance(5 * SECOND_MS);
    harness.now += 3_600 * SECOND_MS;
    harness.restart();
    harness.enqueue(order("job_1"));
    const reason = () => viewPool(harness.state, "web", harness.now).waiting[0]?.reason;
    expect(reason()).toStartWith("No agent of the pool can take it: a is not asking for jobs.");
    harness.now += 2 * SECOND_MS;
    agent.heartbeat();
    await harness.advance(3 * SECOND_MS);
    expect(reason()).toContain("a does not ask for jobs and was last heard from 3 s ago");
  });

  test("loses a listed job after 90 s, and the job counts as started when it was listed", async () => {
    const { harness, agent, ref } = await withDelivered();
    await agent.poll([ref]);
    await harness.advance(91 * SECOND_MS);
    expect(harness.end("job_1")?.times.startedAt).toBe(harness.now - 91 * SECOND_MS);
  });

  test("loses a job that was sent to it after 90 s", async () => {
    const { harness, agent, ref } = await withDelivered();
    await harness.advance(89 * SECOND_MS);
    expect(harness.ends).toEqual([]);
    await harness.advance(2 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({
      status: "failed",
      lost: true,
      agentId: "a",
      error: { code: "agent_lost" },
      times: { startedAt: null },
    });
    agent.heartbeat();
    expect((await agent.poll([ref])).cancelled).toEqual([ref]);
    expect(await agent.report(ref)).toBe("stale");
  });

  test("is measured from its last call of any kind", async () => {
    const { harness, agent, ref } = await withDelivered();
    await harness.advance(80 * SECOND_MS);
    await agent.poll([ref]);
    await harness.advance(80 * SECOND_MS);
    expect(harness.ends).toEqual([]);
    expect(await agent.report(ref)).toBe("accepted");
  });

  test("loses no job while the service is away and for 90 s after its return", async () => {
    const { harness, agent, ref } = await withDelivered();
    harness.now += 600 * SECOND_MS;
    harness.restart();
    await harness.advance(85 * SECOND_MS);
    expect(harness.ends).toEqual([]);
    expect(statusOf(harness)[0]).toBe("Online");
    expect(await agent.report(ref)).toBe("accepted");
  });

  test("gets another 90 s from each restart after it was heard again", async () => {
    const { harness, agent, ref } = await withDelivered();
    harness.now += 600 * SECOND_MS;
    harness.restart();
    await agent.poll([ref]);
    harness.now += 600 * SECOND_MS;
    harness.restart();
    await harness.advance(80 * SECOND_MS);
    expect(harness.ends).toEqual([]);
  });

  test("stays offline in the view after any number of wake-ups of the dispatcher", async () => {
    const { harness } = withAgent();
    await harness.advance(3_600 * SECOND_MS);
    harness.restart();
    expect(statusOf(harness)[0]).toBe("Offline");
    expect(harness.alarmAt).toBeNull();
  });
});

describe("a dispatcher that is put to sleep after ten seconds without a call", () => {
  test("notices silence as early as one that is awake: offline and lost at 90 s", async () => {
    const { harness, agent } = withAgent();
    harness.sleeps = true;
    harness.enqueue(order("job_1"));
    await agent.poll();
    await harness.advance(89 * SECOND_MS);
    expect([harness.ends.length, statusOf(harness)[0]]).toEqual([0, "Online"]);
    await harness.advance(2 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_lost" } });
    expect(statusOf(harness)[0]).toBe("Offline");
  });

  test("gives jobs to a live agent whose calls are rare", async () => {
    const { harness, agent } = withAgent();
    agent.register({ pollIntervalSeconds: 30 });
    harness.sleeps = true;
    for (let minute = 0; minute < 30; minute += 1) {
      for (let half = 0; half < 2; half += 1) {
        await agent.poll();
        await harness.advance(1 * SECOND_MS);
        agent.heartbeat();
        await harness.advance(29 * SECOND_MS);
        expect(statusOf(harness)[0]).toBe("Online");
      }
    }
    harness.enqueue(order("job_1"));
    await harness.advance(20 * SECOND_MS);
    expect(await agent.fetch()).toEqual(["job_1"]);
    // The dispatcher sleeps between all calls and still knows its last write to libSQL.
    expect([2, 3, 4]).toContain(harness.heartbeats.length);
  });

  test("still reviews connections of waiting jobs, reports ends, and deletes old rows", async () => {
    const { harness } = withAgent();
    harness.sleeps = true;
    harness.databaseDown = true;
    harness.enqueue(order("job_1", { pinnedAgentId: "x" }), order("job_2", { queueTimeoutSeconds: 5 }));
    await harness.advance(300 * SECOND_MS);
    harness.databaseDown = false;
    harness.connections.set("con_1", { ...connectionOf(harness), enabled: false });
    await harness.advance(61 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "connection_disabled" } });
    expect(harness.end("job_2")).toMatchObject({ error: { code: "queue_timeout" } });
    await harness.advance(26 * 3_600 * SECOND_MS);
    expect(harness.state.jobs.finished("job_1")).toEqual([]);
    expect(harness.alarmAt).toBeNull();
  });
});

describe("an agent with nothing to do", () => {
  test("costs no read and no write, except an occasional flush of its heartbeats", async () => {
    const { harness, agent } = withAgent();
    await agent.live(30);
    const before = { reads: harness.connectionReads, flushes: harness.heartbeats.length, rings: harness.rings };
    const writtenBefore = harness.written;
    for (let n = 0; n < 1_000; n += 1) {
      await agent.poll();
      agent.heartbeat();
    }
    expect(harness.written).toBe(writtenBefore);
    await agent.live(1_800);
    expect(harness.connectionReads).toBe(before.reads);
    expect(harness.heartbeats.length - before.flushes).toBe(2);
    expect(harness.rings - before.rings).toBeLessThanOrEqual(180);
  });

  test("is recorded in libSQL together with all others every 15 minutes, and soon again after a failure", async () => {
    const harness = new DispatcherHarness();
    const agents = ["a", "b", "c"].map((id) => new AgentProbe(harness, id));
    for (const agent of agents) agent.register();
    harness.databaseDown = true;
    await harness.advance(16 * SECOND_MS);
    harness.databaseDown = false;
    await harness.advance(16 * SECOND_MS);
    const recorded = () => harness.heartbeats.map((batch) => batch.map(({ agentId }) => agentId));
    expect(recorded()).toEqual([["a", "b", "c"]]);
    for (const agent of agents.slice(0, 2)) agent.heartbeat();
    await harness.advance(10 * SECOND_MS);
    harness.restart();
    await harness.advance(860 * SECOND_MS);
    expect(recorded()).toHaveLength(1);
    await harness.advance(40 * SECOND_MS);
    expect(recorded()).toEqual([
      ["a", "b", "c"],
      ["a", "b"],
    ]);
  });

  test("costs no read when it lacks the credential of a waiting job", async () => {
    const { harness, agent } = withAgent();
    const ssh = { host: "db-1", port: 22, username: "ops", authMethod: "password" };
    harness.connections.set("con_1", connection("con_1", { type: "ssh", config: ssh }));
    harness.enqueue(order("job_1"));
    await agent.poll();
    const { connectionReads } = harness;
    for (let n = 0; n < 5; n += 1) expect(await agent.fetch()).toEqual([]);
    expect(harness.connectionReads).toBe(connectionReads);
  });
});

test("a dispatcher that was never used writes nothing when it is read", () => {
  const harness = new DispatcherHarness();
  expect(viewPool(harness.state, "web", harness.now)).toEqual({ id: "web", members: [], queueDepth: 0, waiting: [] });
  expect(presenceOf(harness.state, ["a"], harness.now)).toMatchObject([{ status: "Offline" }]);
  expect(harness.database.query("SELECT name FROM sqlite_master").all()).toEqual([]);
});

function connectionOf(harness: DispatcherHarness) {
  const found = harness.connections.get("con_1");
  if (found === undefined) throw new Error("there is no con_1");
  return found;
}
