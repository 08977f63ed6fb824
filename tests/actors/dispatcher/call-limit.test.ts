import { expect, test } from "bun:test";
import { AgentProbe, DispatcherHarness, order, refOf } from "../../support/dispatcher-harness.ts";

const ALL_THE_TIME_MS = 20_000;

function setup() {
  const harness = new DispatcherHarness();
  const agent = new AgentProbe(harness, "a");
  agent.register({ maxConcurrentJobs: 20 });
  return { harness, agent };
}

test("a poll that times out after one query starts no other query, and the next poll gives the jobs", async () => {
  const { harness, agent } = setup();
  harness.enqueue(order("job_1"), order("job_2", { kind: "credentialSync", action: null, pinnedAgentId: "a" }));
  harness.syncs.set("job_2", {
    connection: { id: "con_1", type: "script", config: {} },
    params: { state: "absent", version: 1 },
  });
  harness.callsTakeMs = ALL_THE_TIME_MS;
  const before = harness.now;
  expect(await agent.fetch([], 20)).toEqual([]);
  expect(harness.now - before).toBe(ALL_THE_TIME_MS);
  harness.callsTakeMs = 0;
  expect(await agent.fetch([], 20)).toEqual(["job_1", "job_2"]);
});

test("results that cannot be reported in a call's time are accepted when the agent resends them", async () => {
  const { harness, agent } = setup();
  const ids = Array.from({ length: 20 }, (_, n) => `job_${n}`);
  harness.enqueue(...ids.map((id) => order(id)));
  const results = (await agent.poll([], 20)).jobs.map((job) => agent.result(refOf(job)));
  harness.callsTakeMs = ALL_THE_TIME_MS;
  const report = async () => {
    const answer = await harness.dispatcher.results(agent.caller, results);
    return "refused" in answer ? [] : answer.acks.map(({ ack }) => ack);
  };
  // Sixteen results at a time are reported.
  expect(await report()).toEqual([...Array(16).fill("accepted"), ...Array(4).fill("retry")]);
  harness.callsTakeMs = 0;
  expect(await report()).toEqual([...Array(16).fill("duplicate"), ...Array(4).fill("accepted")]);
  expect(harness.ends.map(({ facts }) => facts.jobId).toSorted()).toEqual(ids.toSorted());
});
