import { expect, test } from "bun:test";
import { PoolAgentProbe, PoolHarness, connection, order } from "../../support/pool-harness.ts";

test("what an agent had before it was moved away is not believed when it is moved back, until it says so again", async () => {
  const harness = new PoolHarness();
  harness.connections.set("con_1", connection("con_1", { type: "custom", hasCredential: true, isDelivered: true }));
  const agent = new PoolAgentProbe(harness, "a");
  agent.register();
  agent.heartbeat(["con_1"]);
  await harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: true });
  // Its other Pool has taken the credential away, and after a restart nothing is remembered better.
  harness.restart();
  agent.epoch = 3;
  agent.register();
  harness.enqueue(order("job_1"));
  expect(await agent.fetch()).toEqual([]);
  agent.heartbeat([]);
  expect(await agent.fetch()).toEqual([]);
  agent.heartbeat(["con_1"]);
  expect(await agent.fetch()).toEqual(["job_1"]);
  await harness.settled();
  expect(harness.told.at(-1)).toEqual({ agentId: "a", credentials: [["con_1", 1]] });
});
