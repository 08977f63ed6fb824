import { describe, expect, test } from "bun:test";
import { jobStatesOf } from "../../../worker/actors/dispatcher/views.ts";
import { AgentProbe, DispatcherHarness, order, refOf } from "../../support/dispatcher-harness.ts";

const SECOND_MS = 1_000;

/** A job was delivered to "a", and the answer was lost. "b" is idle. */
async function lostAnswer(changes: Parameters<typeof order>[1] = {}) {
  const harness = new DispatcherHarness();
  const [a, b] = [new AgentProbe(harness, "a"), new AgentProbe(harness, "b")];
  a.register();
  harness.enqueue(order("job_1", { effect: "read", timeoutSeconds: 3_600, ...changes }));
  const [job] = (await a.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  b.register();
  return { harness, a, b, ref: refOf(job) };
}

function waitingFor(harness: DispatcherHarness) {
  return jobStatesOf(harness.state, ["job_1"], harness.now)[0]?.waiting?.detail ?? null;
}

describe("a delivered job that its agent reports for 90 s as missing", () => {
  test("goes to another agent when its agent was disabled", async () => {
    const { harness, a, b } = await lostAnswer();
    await harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: false, removed: false });
    a.epoch = 2;
    await a.poll();
    expect(waitingFor(harness)).toBe(
      "Agent a reports that it does not have the job: the agent is disabled, so the job is not sent again.",
    );
    for (let second = 0; second < 100; second += 5) {
      a.heartbeat();
      b.heartbeat();
      await a.poll();
      await b.poll([], 0);
      await harness.advance(5 * SECOND_MS);
    }
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("goes to another agent when its agent no longer polls, even if it sends heartbeats", async () => {
    const { harness, a, b } = await lostAnswer();
    for (let second = 0; second < 100; second += 5) {
      a.heartbeat();
      b.heartbeat();
      await b.poll([], 0);
      await harness.advance(5 * SECOND_MS);
    }
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("fails with agent_lost when it is unsafe, because an answer may still be on its way", async () => {
    const { harness, a } = await lostAnswer({ effect: "unsafe" });
    for (let second = 0; second < 100; second += 5) {
      a.heartbeat();
      await harness.advance(5 * SECOND_MS);
    }
    expect(harness.end("job_1")).toMatchObject({ status: "failed", error: { code: "agent_lost" } });
    expect(harness.end("job_1")?.error?.message).toMatch(
      /^Agent a has reported for 9\d s that it does not have the job\. /u,
    );
  });

  test("stays with its agent as soon as the agent lists it", async () => {
    const { harness, a, ref } = await lostAnswer();
    for (let second = 0; second < 80; second += 5) {
      a.heartbeat();
      await harness.advance(5 * SECOND_MS);
    }
    expect(waitingFor(harness)).toBe(
      "Agent a reports that it does not have the job: the job is sent again with the next poll.",
    );
    for (let second = 0; second < 200; second += 5) {
      a.heartbeat([], [ref]);
      await harness.advance(5 * SECOND_MS);
    }
    expect(waitingFor(harness)).toBeNull();
    expect(await a.report(ref)).toBe("accepted");
  });
});

test("a delayed old poll does not end a cancelled job that its agent is running", async () => {
  const { harness, a, ref } = await lostAnswer({ effect: "unsafe" });
  await a.poll([ref]);
  await harness.dispatcher.cancel(["job_1"]);
  await a.poll();
  expect(harness.end("job_1")).toBeUndefined();
  expect(await a.report(ref, { status: "cancelled" })).toBe("accepted");
});
