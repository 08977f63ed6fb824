import { expect, test } from "bun:test";
import { AgentProbe, DispatcherHarness, connection, order } from "../../support/dispatcher-harness.ts";

test("an agent that is moved back counts as without its former credentials until it reports them again", async () => {
  const harness = new DispatcherHarness();
  harness.connections.set("con_1", connection("con_1", { type: "custom", hasCredential: true, isDelivered: true }));
  const agent = new AgentProbe(harness, "a");
  agent.register();
  agent.heartbeat(["con_1"]);
  await harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: true });
  // The other pool's dispatcher has withdrawn the credential, and a restart loses the memory of this dispatcher.
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
  expect(harness.recorded.at(-1)).toEqual({ agentId: "a", credentials: [["con_1", 1]] });
});
