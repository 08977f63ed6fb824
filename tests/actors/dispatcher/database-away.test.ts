import { beforeEach, describe, expect, test } from "bun:test";
import { viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { AgentProbe, DispatcherHarness, connection, order } from "../../support/dispatcher-harness.ts";

const SECOND_MS = 1_000;

describe("while the database does not answer", () => {
  let harness: DispatcherHarness;
  beforeEach(() => {
    harness = new DispatcherHarness();
  });

  function waitingFor(): string | undefined {
    return viewPool(harness.state, "web", harness.now).waiting[0]?.code;
  }

  test("a job that an agent could take waits for the database, with that reason, until it is back", async () => {
    const agent = new AgentProbe(harness, "a");
    agent.register();
    harness.enqueue(order("job_1"));
    harness.databaseDown = true;
    expect(await agent.fetch()).toEqual([]);
    expect(waitingFor()).toBe("database_unavailable");
    // The outage may take long.
    await harness.advance(40 * SECOND_MS);
    agent.heartbeat();
    harness.databaseDown = false;
    await harness.advance(6 * SECOND_MS);
    expect(waitingFor()).not.toBe("database_unavailable");
  });

  test("a job that no agent could take gets a reason about the agents", async () => {
    harness.databaseDown = true;
    harness.enqueue(order("job_1"));
    await harness.advance(4 * SECOND_MS);
    expect(waitingFor()).toBe("no_agent");
    const full = new AgentProbe(harness, "a");
    full.register();
    await full.poll([], 0);
    await harness.advance(1);
    expect(waitingFor()).toBe("full");
  });

  test("a job whose connection was disabled ends seconds after the database is back", async () => {
    harness.databaseDown = true;
    harness.enqueue(order("job_1"));
    await harness.advance(50 * SECOND_MS);
    harness.connections.set("con_1", connection("con_1", { enabled: false }));
    harness.databaseDown = false;
    await harness.advance(6 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "connection_disabled" } });
  });

  test("an agent that could not get a job is woken when the database is back", async () => {
    const agent = new AgentProbe(harness, "a");
    agent.register({ pollIntervalSeconds: 3_600 });
    harness.sockets.set("a", harness.now);
    harness.enqueue(order("job_1"));
    harness.databaseDown = true;
    expect(await agent.fetch()).toEqual([]);
    const wokenBefore = harness.woken.length;
    await harness.advance(6 * SECOND_MS);
    expect(harness.woken).toHaveLength(wokenBefore);
    harness.databaseDown = false;
    await harness.advance(6 * SECOND_MS);
    expect(new Set(harness.woken.slice(wokenBefore))).toEqual(new Set(["a"]));
    expect(await agent.fetch()).toEqual(["job_1"]);
  });

  test("an agent is woken within seconds also for a job whose connection had been read before", async () => {
    harness.enqueue(order("job_1"));
    await harness.advance(5 * SECOND_MS);
    harness.databaseDown = true;
    const agent = new AgentProbe(harness, "a");
    agent.register({ pollIntervalSeconds: 3_600 });
    harness.sockets.set("a", harness.now);
    expect(await agent.fetch()).toEqual([]);
    await harness.advance(6 * SECOND_MS);
    const wokenBefore = harness.woken.length;
    harness.databaseDown = false;
    await harness.advance(6 * SECOND_MS);
    expect(new Set(harness.woken.slice(wokenBefore))).toEqual(new Set(["a"]));
  });

  test("the dispatcher checks the database every few seconds only while jobs wait", async () => {
    harness.databaseDown = true;
    harness.enqueue(order("job_1"));
    await harness.advance(60 * SECOND_MS);
    expect(harness.rings).toBeGreaterThan(8);
    expect(harness.rings).toBeLessThan(20);
    harness.databaseDown = false;
    harness.connections.delete("con_1");
    await harness.advance(10 * SECOND_MS);
    expect(harness.state.jobs.waiting()).toHaveLength(0);
    const rings = harness.rings;
    await harness.advance(60 * SECOND_MS);
    expect(harness.rings - rings).toBeLessThan(3);
  });
});
