import { expect, test } from "bun:test";
import { AgentProbe, DispatcherHarness, connection, order } from "../../support/dispatcher-harness.ts";

const SECOND_MS = 1_000;

/** An agent with the credential fetches the job, and the answer that brings it is lost. */
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
])(
  "a job is not sent again to an agent that lost %s meanwhile, and is when it has it back",
  async (_what, changes, left) => {
    const { agent } = await deliveredAndLost(changes);
    agent.heartbeat(left);
    expect(await agent.fetch()).toEqual([]);
    agent.heartbeat(["con_1", "con_2"]);
    expect(await agent.fetch()).toEqual(["job_1"]);
  },
);

test("a job is not sent again to an agent that registered without a feature that it needs, and is when it has it again", async () => {
  const NEW = { features: ["namedValues" as const] };
  const { agent } = await deliveredAndLost(NEW, NEW);
  agent.register();
  expect(await agent.fetch()).toEqual([]);
  agent.register(NEW);
  expect(await agent.fetch()).toEqual(["job_1"]);
});

test("nor is it given to another agent meanwhile: an old answer may still bring it to the first", async () => {
  const { harness, agent } = await deliveredAndLost();
  const other = new AgentProbe(harness, "b");
  other.register();
  other.heartbeat(["con_1", "con_2"]);
  agent.heartbeat([]);
  expect(await agent.fetch()).toEqual([]);
  expect(await other.fetch()).toEqual([]);
});

test("one that it never gets back is lost after a while", async () => {
  const { harness, agent } = await deliveredAndLost({ timeoutSeconds: 3_600 });
  agent.heartbeat([]);
  await agent.live(200);
  await harness.advance(SECOND_MS);
  expect(harness.end("job_1")).toMatchObject({ status: "failed", error: { code: "agent_lost" } });
});
