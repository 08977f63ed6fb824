import { describe, expect, test } from "bun:test";
import { AgentProbe, connection, order } from "../../support/dispatcher-harness.ts";
import { withAgent } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;

describe("a dispatcher's callers", () => {
  test("an agent that this dispatcher does not know registers again", async () => {
    const { harness } = withAgent();
    expect(await new AgentProbe(harness, "x").tryPoll()).toEqual({ refused: "register_again" });
  });

  test("a key older than the known one is refused, also after a restart", async () => {
    const { harness, agent } = withAgent();
    harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 3, enabled: true, removed: false });
    expect(await agent.tryPoll()).toEqual({ refused: "unauthorized" });
    harness.restart();
    expect(await agent.heartbeat()).toEqual({ refused: "unauthorized" });
    expect(agent.register()).toEqual({ refused: "unauthorized" });
    agent.epoch = 3;
    expect(await agent.poll()).toEqual({ jobs: [], cancelled: [] });
  });

  test("an agent's wake socket ends when its settings change and when another process of it registers", () => {
    const { harness, agent } = withAgent();
    harness.sockets.set("a", harness.now);
    harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: false, removed: false });
    expect(harness.sockets.size).toBe(0);
    harness.sockets.set("a", harness.now);
    agent.epoch = 2;
    agent.register();
    expect(harness.sockets.size).toBe(1);
    agent.instanceId = "instance-2";
    agent.register();
    expect(harness.sockets.size).toBe(0);
  });

  test("repeated settings close a wake socket that was left open, and older settings do not", () => {
    const { harness } = withAgent();
    const configure = (epoch: number) =>
      harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch, enabled: true, removed: false });
    configure(3);
    harness.sockets.set("a", harness.now);
    configure(2);
    expect(harness.sockets.size).toBe(1);
    configure(3);
    expect(harness.sockets.size).toBe(0);
  });

  test("older settings do not undo newer ones", async () => {
    const { harness, agent } = withAgent();
    harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 3, enabled: false, removed: false });
    harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: false });
    agent.epoch = 3;
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
  });

  test("a removed agent must register again: its leases are lost, pinned jobs end, other jobs move on", async () => {
    const { harness, agent } = withAgent();
    harness.enqueue(order("job_1"));
    await agent.poll();
    harness.connections.set("con_a", connection("con_a", { target: { poolObject: "pool:web", pinnedAgentId: "a" } }));
    harness.enqueue(order("job_2"), order("job_3", { connectionId: "con_a", pinnedAgentId: "a" }));
    harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: true });
    harness.connections.set("con_a", connection("con_a", { agentDeleted: true }));
    agent.epoch = 2;
    expect(await agent.tryPoll()).toEqual({ refused: "register_again" });
    await harness.advance(3 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_lost" } });
    expect(harness.end("job_3")).toMatchObject({ error: { code: "agent_deleted" } });
    const other = new AgentProbe(harness, "b");
    other.register();
    expect(await other.fetch()).toEqual(["job_2"]);
  });
});
