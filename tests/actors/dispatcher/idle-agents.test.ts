import { beforeEach, describe, expect, test } from "bun:test";
import { presenceOf } from "../../../worker/actors/dispatcher/views.ts";
import { AgentProbe, order, refOf } from "../../support/dispatcher-harness.ts";
import type { DispatcherHarness } from "../../support/dispatcher-harness.ts";
import { withAgent } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;
const DAY_SECONDS = 24 * 3_600;
const IDLE_POLL_SECONDS = 60;
/** The limit of storage rows that an idle agent may cost in a day. */
const ROWS_A_DAY_MAX = 300;

let harness: DispatcherHarness;
let agent: AgentProbe;

/** For this time the agent only pings through its socket. */
async function ping(seconds: number, ...agents: AgentProbe[]): Promise<void> {
  for (let second = 0; second < seconds; second += 5) {
    for (const { agentId } of agents) harness.sockets.set(agentId, harness.now);
    await harness.advance(5 * SECOND_MS);
  }
}

function statusOf({ agentId }: AgentProbe) {
  const [presence] = presenceOf(harness.state, [agentId], harness.now);
  return [presence?.status, presence?.healthScore];
}

beforeEach(() => {
  ({ harness, agent } = withAgent());
});

test("a poll's answer gives the time of the next poll while the agent has a wake socket", async () => {
  expect(await agent.poll()).not.toHaveProperty("pollAfterSeconds");
  harness.sockets.set("a", harness.now);
  expect(await agent.poll()).toMatchObject({ jobs: [], pollAfterSeconds: IDLE_POLL_SECONDS });
  harness.enqueue(order("job_1"));
  expect(await agent.poll()).toMatchObject({ jobs: [{ id: "job_1" }], pollAfterSeconds: IDLE_POLL_SECONDS });
  harness.sockets.delete("a");
  expect(await agent.poll()).not.toHaveProperty("pollAfterSeconds");
});

describe("an agent that only pings through its wake socket", () => {
  test("is online, with the score of its last ping, until it has been silent for 90 s", async () => {
    await ping(600, agent);
    expect(statusOf(agent)).toEqual(["Online", 100]);
    await harness.advance(70 * SECOND_MS);
    expect(statusOf(agent)).toEqual(["Online", 75]);
    await harness.advance(15 * SECOND_MS);
    expect(statusOf(agent)).toEqual(["Offline", 50]);
    await ping(5, agent);
    expect(statusOf(agent)).toEqual(["Online", 100]);
  });

  test("is woken immediately for a job that arrives an hour later", async () => {
    await ping(3_600, agent);
    harness.enqueue(order("job_1"));
    expect(harness.woken).toEqual(["a"]);
    expect(await agent.fetch()).toEqual(["job_1"]);
  });

  test("gets no jobs when its pings have stopped: they wait for another agent", async () => {
    await ping(600, agent);
    await harness.advance(91 * SECOND_MS);
    harness.enqueue(order("job_1"));
    expect(harness.woken).toEqual([]);
    const other = new AgentProbe(harness, "b");
    other.register();
    expect(await other.fetch()).toEqual(["job_1"]);
  });

  test("opens its socket with a call that counts as a heartbeat", async () => {
    await harness.advance(95 * SECOND_MS);
    expect(statusOf(agent)).toEqual(["Offline", 50]);
    expect(harness.dispatcher.admitSocket(agent.caller)).toEqual({});
    expect(statusOf(agent)).toEqual(["Online", 100]);
    expect(harness.dispatcher.admitSocket({ ...agent.caller, instanceId: "another" })).toEqual({
      refused: "superseded",
    });
  });

  test("counts as alive for 90 s after its last ping when its socket closes", async () => {
    await ping(3_600, agent);
    const heardAt = harness.now - 20 * SECOND_MS;
    harness.sockets.delete("a");
    harness.dispatcher.socketClosed("a", heardAt);
    expect(statusOf(agent)).toEqual(["Online", 100]);
    await harness.advance(69 * SECOND_MS);
    expect(statusOf(agent)[0]).toBe("Online");
    await harness.advance(2 * SECOND_MS);
    expect(statusOf(agent)[0]).toBe("Offline");
  });

  test("stays online when a restart of the service ends its socket", async () => {
    await ping(3_600, agent);
    harness.sockets.clear();
    harness.restart();
    expect(statusOf(agent)).toEqual(["Online", 100]);
    await harness.advance(91 * SECOND_MS);
    expect(statusOf(agent)[0]).toBe("Offline");
    harness.restart();
    expect(statusOf(agent)[0]).toBe("Offline");
  });

  test("stays offline when it closed its socket before the dispatcher was put to sleep", async () => {
    await ping(3_600, agent);
    harness.sockets.delete("a");
    harness.dispatcher.socketClosed("a", harness.now);
    await harness.advance(100 * SECOND_MS);
    harness.restart();
    expect(statusOf(agent)[0]).toBe("Offline");
  });

  test("is online again with its next ping after a long silence", async () => {
    await ping(600, agent);
    await harness.advance(1_000 * SECOND_MS);
    expect(statusOf(agent)[0]).toBe("Offline");
    await ping(5, agent);
    expect(statusOf(agent)).toEqual(["Online", 100]);
    harness.enqueue(order("job_1"));
    expect(harness.woken).toEqual(["a"]);
  });

  test("is immediately offline when it says goodbye, and its socket is closed", async () => {
    await ping(600, agent);
    harness.dispatcher.offline(agent.caller);
    expect(statusOf(agent)).toEqual(["Offline", 50]);
    expect(harness.sockets.size).toBe(0);
  });

  test("is recorded in libSQL by its last ping", async () => {
    await ping(1_900, agent);
    const last = harness.heartbeats.at(-1)?.[0];
    expect(last?.agentId).toBe("a");
    expect(harness.now - (last?.lastHeartbeatAt ?? 0)).toBeLessThan(920 * SECOND_MS);
  });
});

test("a cancel wakes the agent that runs the job", async () => {
  harness.sockets.set("a", harness.now);
  harness.enqueue(order("job_1"));
  await agent.fetch();
  const before = harness.woken.length;
  harness.dispatcher.cancel(["job_1"]);
  expect(harness.woken.slice(before)).toEqual(["a"]);
});

test("an agent that reports a delivered job as missing is woken to fetch it", async () => {
  harness.sockets.set("a", harness.now);
  harness.enqueue(order("job_1"));
  await agent.fetch();
  const before = harness.woken.length;
  agent.heartbeat([], []);
  expect(harness.woken.slice(before)).toEqual(["a"]);
  expect(await agent.fetch()).toEqual(["job_1"]);
});

test("an agent that reports a result is woken for the next job if it has room", async () => {
  harness.sockets.set("a", harness.now);
  harness.enqueue(order("job_1"));
  const [job] = (await agent.poll([], 1)).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  harness.enqueue(order("job_2"));
  const before = harness.woken.length;
  await agent.report(refOf(job));
  expect(harness.woken.slice(before)).toEqual(["a"]);
});

test("an agent that missed a wake message is woken again when its next process opens a socket", async () => {
  harness.sockets.set("a", harness.now);
  harness.enqueue(order("job_1"));
  await ping(20, agent);
  agent.instanceId = "instance-2";
  agent.register();
  expect(harness.sockets.size).toBe(0);
  harness.sockets.set("a", harness.now);
  const before = harness.woken.length;
  harness.dispatcher.admitSocket(agent.caller);
  expect(harness.woken.slice(before)).toEqual(["a"]);
});

test.each(["says goodbye", "gets a new key"])(
  "a job reserved for an agent that %s goes immediately to another agent, even with the socket still open",
  (what) => {
    harness.sockets.set("a", harness.now);
    harness.enqueue(order("job_1"));
    const other = new AgentProbe(harness, "b");
    other.register();
    harness.sockets.set("b", harness.now);
    expect(harness.woken).toEqual(["a"]);
    const settings = { agentId: "a", name: "a", epoch: 2, enabled: true, removed: false, rekeyed: true };
    if (what === "says goodbye") harness.dispatcher.offline(agent.caller);
    else harness.dispatcher.configureAgent(settings);
    expect(harness.woken).toEqual(["a", "b"]);
  },
);

test("an agent without a wake socket may poll at its own interval", async () => {
  const slow = new AgentProbe(harness, "slow");
  slow.register({ pollIntervalSeconds: 60 });
  harness.dispatcher.offline(agent.caller);
  harness.enqueue(order("job_1"), order("job_2"));
  await slow.fetch([], 1);
  slow.heartbeat([], []);
  await harness.advance(50 * SECOND_MS);
  // If it counted as woken, it would be skipped after 15 s.
  expect(harness.state.jobs.get("job_2")?.job.stage).toMatchObject({ type: "queued" });
  harness.enqueue(order("job_3", { pinnedAgentId: "slow" }));
  expect((await slow.poll([], 5)).jobs.map(({ id }) => id)).toContain("job_1");
});

test.each([1, 10])("in a pool of %d, an idle agent costs few rows a day", async (count) => {
  const agents = [agent, ...Array.from({ length: count - 1 }, (_, n) => new AgentProbe(harness, `b${n}`))];
  for (const each of agents) each.register();
  await ping(600, ...agents);
  harness.sleeps = true;
  const before = harness.written + harness.alarmsSet;
  const hours = 6;
  for (let second = 0; second < hours * 3_600; second += 5) {
    for (const [n, each] of agents.entries()) {
      harness.sockets.set(each.agentId, harness.now);
      if (second % IDLE_POLL_SECONDS === (n * 5) % IDLE_POLL_SECONDS) await each.poll();
    }
    await harness.advance(5 * SECOND_MS);
  }
  const rows = (harness.written + harness.alarmsSet - before) / count / hours;
  // In a pool of one, the agent alone bears the dispatcher's own rows.
  expect(rows * (DAY_SECONDS / 3_600)).toBeLessThanOrEqual(count === 1 ? 5 * ROWS_A_DAY_MAX : ROWS_A_DAY_MAX);
  expect(harness.connectionReads).toBe(0);
});
