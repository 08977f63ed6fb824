import { expect, test } from "bun:test";
import { AgentProbe, DispatcherHarness, connection, order } from "../../support/dispatcher-harness.ts";

const SECOND_MS = 1_000;

/** An agent with the credential fetches the job, and the answer with the job is lost. */
async function deliveredAndLost(changes: Parameters<typeof order>[1] = {}, can: { features?: string[] } = {}) {
  const harness = new DispatcherHarness();
  harness.connections.set("con_1", connection("con_1", { type: "custom", hasCredential: true, isDelivered: true }));
  harness.connections.set("con_2", connection("con_2", { type: "custom", hasCredential: true, isDelivered: true }));
  const agent = new AgentProbe(harness, "a");
  agent.register(can);
  agent.heartbeat(["con_1", "con_2"]);
  harness.enqueue(order("job_1", changes));
  expect(await agent.fetch()).toEqual(["job_1"]);
  return { harness, agent };
}

test.each([
  ["its connection's credential", {}, ["con_2"]],
  [
    "the secrets that its script gets",
    { action: "script.bash" as const, params: { script: "true", secretsFrom: "con_2" } },
    ["con_1"],
  ],
])("a job is not resent to an agent that lost %s, until the agent has it again", async (_what, changes, left) => {
  const { agent } = await deliveredAndLost(changes);
  agent.heartbeat(left);
  expect(await agent.fetch()).toEqual([]);
  agent.heartbeat(["con_1", "con_2"]);
  expect(await agent.fetch()).toEqual(["job_1"]);
});

test("a job is not resent to an agent that registered without its feature, until it has it again", async () => {
  const NEW = { features: ["namedValues" as const] };
  const { agent } = await deliveredAndLost(NEW, NEW);
  agent.register();
  expect(await agent.fetch()).toEqual([]);
  agent.register(NEW);
  expect(await agent.fetch()).toEqual(["job_1"]);
});

test("a job that cannot be resent goes to no other agent, because an old answer may reach the first", async () => {
  const { harness, agent } = await deliveredAndLost();
  const other = new AgentProbe(harness, "b");
  other.register();
  other.heartbeat(["con_1", "con_2"]);
  agent.heartbeat([]);
  expect(await agent.fetch()).toEqual([]);
  expect(await other.fetch()).toEqual([]);
});

test("a job is lost if its agent never gets the credential back", async () => {
  const { harness, agent } = await deliveredAndLost({ timeoutSeconds: 3_600 });
  agent.heartbeat([]);
  await agent.live(200);
  await harness.advance(SECOND_MS);
  expect(harness.end("job_1")).toMatchObject({ status: "failed", error: { code: "agent_lost" } });
});
