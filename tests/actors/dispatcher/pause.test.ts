import { describe, expect, test } from "bun:test";
import { PAUSE_FOLLOWED_WITHIN_MS } from "../../../schema/limits.ts";
import { NOT_PAUSED, pause, resume } from "../../../worker/domain/control.ts";
import { jobDeadline } from "../../../worker/actors/dispatcher/rules/job-deadline.ts";
import { queueJob } from "../../../worker/actors/dispatcher/rules/job.ts";
import { jobStatesOf, viewPool } from "../../../worker/actors/dispatcher/views.ts";
import type { DispatcherHarness } from "../../support/dispatcher-harness.ts";
import { order, refOf } from "../../support/dispatcher-harness.ts";
import { withAgent, withAgents, withDelivered } from "../../support/dispatcher-setups.ts";
import { shownTime } from "../../../worker/domain/shown-time.ts";

const SECOND_MS = 1_000;

function pauseNow(harness: DispatcherHarness): void {
  harness.control = pause(harness.control, { by: "user:ana@example.com", at: harness.now, reason: "Failover" });
}

function resumeNow(harness: DispatcherHarness): void {
  harness.control = resume(harness.control, harness.now);
}

function waitingCodes(harness: DispatcherHarness): string[] {
  return viewPool(harness.state, "web", harness.now).waiting.map(({ code }) => code);
}

describe("during a pause", () => {
  test("an action gets no lease, even when the pause began after it was reserved, and says who paused and why", async () => {
    const { harness, agent } = withAgent();
    harness.enqueue(order("job_1"));
    expect(waitingCodes(harness)).toEqual(["next_poll"]);
    const since = shownTime(harness.now);
    pauseNow(harness);
    expect(await agent.fetch()).toEqual([]);
    harness.enqueue(order("job_2", { pinnedAgentId: "absent" }));
    expect(await agent.fetch()).toEqual([]);
    const detail = `All runs have been paused by ana@example.com since ${since}: Failover`;
    expect(viewPool(harness.state, "web", harness.now).waiting).toMatchObject([
      { jobId: "job_1", code: "paused", reason: detail },
      { jobId: "job_2", code: "paused", reason: detail },
    ]);
  });

  test("a pause that begins while libSQL is read holds back the job of that poll", async () => {
    const { harness, agent } = withAgent();
    harness.enqueue(order("job_1"));
    const read = Promise.withResolvers<void>();
    const { readConnections } = harness.ports();
    let polled: Promise<string[]> | undefined;
    harness.dispatcher = harness.reopenedWith({
      readConnections: async (...input) => {
        await read.promise;
        return readConnections(...input);
      },
    });
    polled = agent.fetch();
    await Promise.resolve();
    pauseNow(harness);
    read.resolve();
    expect(await polled).toEqual([]);
    expect(waitingCodes(harness)).toEqual(["paused"]);
  });

  test("the states of jobs know a pause that no poll has brought", async () => {
    const { harness } = withAgent();
    harness.enqueue(order("job_1"));
    pauseNow(harness);
    const state = await harness.dispatcher.whileJobsWait();
    expect(jobStatesOf(state, ["job_1"], harness.now)).toMatchObject([
      { status: "queued", waiting: { code: "paused" } },
    ]);
  });

  test("connection tests and credentials go on", async () => {
    const { harness, agent } = withAgent();
    pauseNow(harness);
    harness.enqueue(order("job_action"));
    expect(await agent.fetch()).toEqual([]);
    harness.enqueue(order("job_test", { kind: "connectionTest", action: null, testedType: "script" }));
    harness.syncs.set("job_sync", {
      connection: { id: "con_1", type: "script", config: {} },
      params: { state: "absent", version: 2 },
    });
    harness.enqueue(order("job_sync", { kind: "credentialSync", action: null, pinnedAgentId: "a" }));
    expect((await agent.fetch()).toSorted()).toEqual(["job_sync", "job_test"]);
  });

  test("a running job goes on: its result counts, it can be cancelled, and a lost answer is sent again", async () => {
    const { harness, agent, job, ref } = await withDelivered();
    pauseNow(harness);
    harness.enqueue(order("job_2"));
    expect(await agent.fetch()).toEqual([job.id]);
    harness.dispatcher.cancel(["job_1", "job_2"]);
    expect((await agent.poll([ref])).cancelled).toEqual([ref]);
    expect(await agent.report(ref)).toBe("accepted");
    await harness.settled();
    expect(harness.end("job_1")?.status).toBe("succeeded");
    expect(harness.end("job_2")?.status).toBe("cancelled");
  });

  test("a restart of the dispatcher gives out nothing", async () => {
    const { harness, agent } = withAgent();
    pauseNow(harness);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    harness.restart();
    expect(await agent.fetch()).toEqual([]);
    await harness.advance(60 * SECOND_MS);
    expect(waitingCodes(harness)).toEqual(["paused"]);
  });

  test("the control object is read every few seconds while actions wait, and never without them", async () => {
    const { harness, agent } = withAgent();
    pauseNow(harness);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    const before = harness.controlReads;
    await agent.live(60);
    expect(harness.controlReads - before).toBeGreaterThanOrEqual(12);
    harness.dispatcher.cancel(["job_1"]);
    await harness.settled();
    const after = harness.controlReads;
    await agent.live(60);
    expect(harness.controlReads).toBe(after);
  });
});

describe("after a pause", () => {
  test("every waiting job is given out within 5 s, once, and agents are woken", async () => {
    const { harness, agents } = withAgents("a", "b");
    for (const { agentId } of agents) harness.sockets.set(agentId, harness.now);
    pauseNow(harness);
    harness.enqueue(order("job_1"), order("job_2"), order("job_3"));
    for (const agent of agents) expect(await agent.fetch()).toEqual([]);
    await harness.advance(30 * SECOND_MS);
    for (const { agentId } of agents) harness.sockets.set(agentId, harness.now);
    harness.woken.splice(0);
    resumeNow(harness);
    await harness.advance(PAUSE_FOLLOWED_WITHIN_MS);
    expect(new Set(harness.woken)).toEqual(new Set(["a", "b"]));
    const given = [];
    for (const agent of agents) given.push(...(await agent.poll()).jobs);
    expect(given.map(({ id }) => id).toSorted()).toEqual(["job_1", "job_2", "job_3"]);
    for (const agent of agents) {
      const own = given.filter(({ lease }) =>
        harness.state.jobs.heldBy(agent.agentId).some(({ stage }) => stage.lease === lease),
      );
      expect(await agent.fetch(own.map(refOf))).toEqual([]);
    }
  });

  test("the first job is given out at once, although the dispatcher last saw a pause", async () => {
    const { harness, agent } = withAgent();
    pauseNow(harness);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    harness.dispatcher.cancel(["job_1"]);
    await harness.settled();
    await agent.live(600);
    resumeNow(harness);
    harness.enqueue(order("job_2"));
    await harness.settled();
    expect(await agent.fetch()).toEqual(["job_2"]);
  });
});

describe("queueTimeoutSeconds", () => {
  const limited = () => ({ queueTimeoutSeconds: 60 });

  test.each([
    ["runs from the order", NOT_PAUSED, 60 * SECOND_MS],
    ["does not run during a pause", { pause: { by: "x", at: 1, reason: "y" }, resumedAt: null }, null],
    ["starts again after a pause", { pause: null, resumedAt: 90 * SECOND_MS }, 150 * SECOND_MS],
    ["is not shortened by an earlier pause", { pause: null, resumedAt: -1 }, 60 * SECOND_MS],
  ])("%s", (_what, control, at) => {
    const job = queueJob(order("job_1", { ...limited(), queuedAt: 0 }));
    expect(jobDeadline(job, control)?.at ?? null).toBe(at);
    const tested = queueJob(order("job_1", { ...limited(), queuedAt: 0, kind: "connectionTest" }));
    expect(jobDeadline(tested, control)?.at).toBe(60 * SECOND_MS);
  });

  test("ends no job during a pause that the dispatcher has not seen yet, nor after a restart", async () => {
    const { harness } = withAgent();
    harness.enqueue(order("job_1", { ...limited(), pinnedAgentId: "absent", queuedAt: harness.now }));
    await harness.advance(50 * SECOND_MS);
    pauseNow(harness);
    await harness.advance(100 * SECOND_MS);
    harness.restart();
    await harness.advance(100 * SECOND_MS);
    expect(harness.ends).toEqual([]);
    resumeNow(harness);
    await harness.advance(59 * SECOND_MS);
    expect(harness.ends).toEqual([]);
    await harness.advance(2 * SECOND_MS);
    expect(harness.end("job_1")?.error?.code).toBe("queue_timeout");
  });
});
