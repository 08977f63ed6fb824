import { describe, expect, test } from "bun:test";
import { AgentProbe, DispatcherHarness, connection, order, refOf } from "../../support/dispatcher-harness.ts";

const SECOND_MS = 1_000;
/** A connection that needs its credential. */
const SECRET = { type: "custom", hasCredential: true, isDelivered: true } as const;
const AT = Date.UTC(2026, 0, 5, 12);

function setup(...agents: [agentId: string, maxConcurrentJobs: number][]) {
  const harness = new DispatcherHarness();
  harness.connections.set("con_secret", connection("con_secret", SECRET));
  const probes = agents.map(([agentId, maxConcurrentJobs]) => {
    const probe = new AgentProbe(harness, agentId);
    probe.register({ maxConcurrentJobs });
    return probe;
  });
  const [a = new AgentProbe(harness, "a"), b = new AgentProbe(harness, "b")] = probes;
  return { harness, a, b };
}

function keptFor(harness: DispatcherHarness, jobId: string): string | null {
  const stage = harness.state.jobs.get(jobId)?.job.stage;
  return stage?.type === "reserved" ? stage.agentId : null;
}

describe("the longest waiting job goes first", () => {
  test("across all requirement groups that wait for the same agent", async () => {
    const { harness, a } = setup(["a", 1]);
    await a.heartbeat(["con_secret"]);
    const [first] = (harness.enqueue(order("job_0")), (await a.poll()).jobs);
    if (first === undefined) throw new Error("the job was not delivered");
    harness.enqueue(
      order("job_3", { queuedAt: AT + 3 }),
      order("job_1", { queuedAt: AT + 1, pinnedAgentId: "a" }),
      order("job_4", { queuedAt: AT + 4, connectionId: "con_secret" }),
      order("job_2", { queuedAt: AT + 2, connectionId: "con_secret" }),
    );
    harness.connections.set("con_1", connection("con_1"));
    const given: string[] = [];
    for (let ref = refOf(first); given.length < 4;) {
      await a.report(ref);
      harness.connections.set("con_1", connection("con_1", { target: { poolObject: "pool:web", pinnedAgentId: "a" } }));
      const [next] = (await a.poll()).jobs;
      if (next === undefined) throw new Error("no job was delivered");
      given.push(next.id);
      ref = refOf(next);
    }
    expect(given).toEqual(["job_1", "job_2", "job_3", "job_4"]);
  });

  test("even if it returned to the queue after its requirement group was blocked", async () => {
    const { harness, a, b } = setup(["a", 1], ["b", 1]);
    harness.enqueue(order("job_1", { queuedAt: AT + 1 }));
    await b.poll([], 0);
    harness.enqueue(order("job_2", { queuedAt: AT + 2 }), order("job_3", { queuedAt: AT + 3 }));
    expect(keptFor(harness, "job_1")).toBe("a");
    // "a" reports that it has no room.
    await a.poll([], 0);
    expect(keptFor(harness, "job_1")).toBeNull();
    expect(await b.fetch([], 1)).toEqual(["job_1"]);
  });
});

describe("a blocked job", () => {
  test("goes to the agent that newly reports its credential, past agents with room but without it", async () => {
    const { harness, a, b } = setup(["a", 5], ["b", 5]);
    await a.poll();
    harness.enqueue(order("job_1", { connectionId: "con_secret" }));
    await harness.reviewNow();
    expect(keptFor(harness, "job_1")).toBeNull();
    await a.poll();
    expect(keptFor(harness, "job_1")).toBeNull();
    await b.heartbeat(["con_secret"]);
    expect(keptFor(harness, "job_1")).toBe("b");
  });

  test("with an unread connection goes to any agent when the last agent with its credential loses it", async () => {
    const { harness, a, b } = setup(["a", 5], ["b", 5]);
    await b.heartbeat(["con_1"]);
    await b.poll([], 0);
    harness.enqueue(order("job_1"));
    expect(keptFor(harness, "job_1")).toBeNull();
    await b.heartbeat([]);
    expect(keptFor(harness, "job_1")).toBe("a");
    expect(await a.fetch()).toEqual(["job_1"]);
  });

  test("is not examined for agents that cannot run it, even in a large group, and goes to one that can", async () => {
    const { harness, a, b } = setup(["a", 5]);
    const jobs = Array.from({ length: 50 }, (_, n) => order(`job_${n}`, { pinnedAgentId: "b", queuedAt: AT + n }));
    harness.connections.set("con_1", connection("con_1", { target: { poolObject: "pool:web", pinnedAgentId: "b" } }));
    harness.enqueue(...jobs);
    expect(await a.fetch()).toEqual([]);
    b.register();
    expect(await b.fetch()).toEqual(["job_0", "job_1", "job_2", "job_3", "job_4"]);
  });
});

describe("a reserved job", () => {
  test("with an unread connection goes to another agent that reports the connection's credential", async () => {
    const { harness, a, b } = setup(["a", 5], ["b", 5]);
    harness.enqueue(order("job_1"));
    expect(keptFor(harness, "job_1")).toBe("a");
    await b.heartbeat(["con_1"]);
    expect(keptFor(harness, "job_1")).toBe("b");
    expect(await a.fetch()).toEqual([]);
  });

  test("returns to the queue when its connection, once read, needs a credential that the agent lacks", async () => {
    const { harness } = setup(["a", 5]);
    harness.enqueue(order("job_1", { connectionId: "con_secret" }));
    expect(keptFor(harness, "job_1")).toBe("a");
    await harness.reviewNow();
    expect(keptFor(harness, "job_1")).toBeNull();
  });

  test("is given up 15 s after the wake message to its agent, even with a longer poll interval", async () => {
    const { harness, a, b } = setup();
    a.register({ pollIntervalSeconds: 300 });
    await b.register({ maxConcurrentJobs: 1 });
    await b.poll([], 0);
    harness.sockets.set("a", harness.now);
    harness.enqueue(order("job_1"));
    expect(keptFor(harness, "job_1")).toBe("a");
    await harness.advance(14 * SECOND_MS);
    await b.poll([], 1);
    expect(keptFor(harness, "job_1")).toBe("a");
    await harness.advance(1 * SECOND_MS);
    expect(keptFor(harness, "job_1")).toBe("b");
  });
});
