import { describe, expect, test } from "bun:test";
import { LOST_TIMES_MAX } from "../../../schema/limits.ts";
import type { AgentJobOrder } from "../../../worker/domain/job-order.ts";
import { jobStatesOf } from "../../../worker/actors/dispatcher/views.ts";
import { POOL, AgentProbe, DispatcherHarness, connection, order, refOf } from "../../support/dispatcher-harness.ts";

const SECOND_MS = 1_000;
const OFFLINE_MS = 95 * SECOND_MS;

async function withDelivered(changes: Partial<AgentJobOrder>) {
  const harness = new DispatcherHarness();
  const { pinnedAgentId = null } = changes;
  harness.connections.set("con_1", connection("con_1", { target: { poolObject: POOL, pinnedAgentId } }));
  const a = new AgentProbe(harness, "a");
  const b = new AgentProbe(harness, "b");
  a.register();
  await a.poll();
  harness.enqueue(order("job_1", changes));
  const [job] = (await a.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  b.register();
  return { harness, a, b, job, ref: refOf(job) };
}

describe("a job whose agent is silent for 90 s", () => {
  test.each<[string, Partial<AgentJobOrder>]>([
    ["read", { effect: "read" }],
    ["idempotent", { effect: "idempotent" }],
    ["unsafe, with onAgentLost: retry", { effect: "unsafe", onAgentLost: "retry" }],
  ])("goes to the healthiest other agent when it is %s", async (_effect, changes) => {
    const { harness, b, ref } = await withDelivered(changes);
    await b.live(90);
    expect(harness.end("job_1")).toBeUndefined();
    const [again] = (await b.poll()).jobs;
    expect(again).toMatchObject({ id: "job_1", attempt: 1 });
    expect(again?.lease).not.toBe(ref.lease);
    expect(await b.report({ jobId: "job_1", lease: again?.lease ?? "" })).toBe("accepted");
    expect(harness.ends.map(({ report }) => [report.status, report.agentId])).toEqual([["succeeded", "b"]]);
  });

  test.each([
    ["with a start if the agent had listed it", true],
    ["without a start if the agent may never have received it", false],
  ])("is recorded for both the agent that lost it and the agent that ended it, %s", async (_what, isShown) => {
    const { harness, a, b, ref } = await withDelivered({ effect: "unsafe", onAgentLost: "retry" });
    const deliveredAt = harness.now;
    if (isShown) {
      a.heartbeat([], [ref]);
      harness.restart();
    }
    await b.live(90);
    const [again] = (await b.poll()).jobs;
    const { assignments } = jobStatesOf(harness.state, ["job_1"], harness.now)[0] ?? {};
    expect(assignments).toEqual([
      {
        agentId: "a",
        deliveredAt,
        startedAt: isShown ? deliveredAt : null,
        lostAt: deliveredAt + 90 * SECOND_MS,
        why: expect.stringContaining("Agent a was silent for 90 s"),
      },
    ]);
    harness.restart();
    await b.report({ jobId: "job_1", lease: again?.lease ?? "" });
    expect(harness.end("job_1")).toMatchObject({ status: "succeeded", agentId: "b", assignments });
  });

  test("is recorded as started when only a poll had listed it, even if the dispatcher slept since", async () => {
    const { harness, a, b, ref } = await withDelivered({ effect: "unsafe", onAgentLost: "retry" });
    const deliveredAt = harness.now;
    harness.sleeps = true;
    await a.poll([ref]);
    await harness.advance(100 * SECOND_MS);
    await b.poll();
    const { assignments } = jobStatesOf(harness.state, ["job_1"], harness.now)[0] ?? {};
    expect(assignments).toMatchObject([{ agentId: "a", startedAt: deliveredAt }]);
  });

  test.each<[string, Partial<AgentJobOrder>]>([
    ["unsafe", { effect: "unsafe" }],
    ["idempotent, with onAgentLost: fail", { effect: "idempotent", onAgentLost: "fail" }],
  ])("fails with agent_lost when it is %s", async (_effect, changes) => {
    const { harness, b } = await withDelivered(changes);
    await b.live(100);
    expect(harness.end("job_1")).toMatchObject({ status: "failed", lost: true, error: { code: "agent_lost" } });
    expect(harness.end("job_1")?.error?.message).toMatch(
      /^Agent a was silent for 9\d s\. .* Check the target system before you run it again\.$/u,
    );
    expect(harness.end("job_1")?.assignments).toMatchObject([{ agentId: "a" }]);
    expect(await b.fetch()).toEqual([]);
  });

  test("shows after 45 s when its agent was last heard, until the agent calls again", async () => {
    const { harness, a, ref } = await withDelivered({ effect: "unsafe" });
    const waitingFor = () => jobStatesOf(harness.state, ["job_1"], harness.now)[0]?.waiting?.detail ?? null;
    await harness.advance(44 * SECOND_MS);
    expect(waitingFor()).toBeNull();
    await harness.advance(8 * SECOND_MS);
    expect(waitingFor()).toStartWith("Agent a was last heard from 52 s ago.");
    a.heartbeat([], [ref]);
    expect(waitingFor()).toBeNull();
  });

  test.each<[string, Partial<AgentJobOrder>, string]>([
    ["it is run again on another agent", { effect: "idempotent" }, "is run again, by any agent that can take it."],
    ["it waits for its agent", { effect: "read", pinnedAgentId: "a" }, "is run again, when its agent is back."],
    ["it fails", { effect: "unsafe" }, "fails, because its progress is unknown."],
  ])("shows in advance what happens at its loss: %s", async (_what, changes, expected) => {
    const { harness } = await withDelivered(changes);
    await harness.advance(60 * SECOND_MS);
    expect(jobStatesOf(harness.state, ["job_1"], harness.now)[0]?.waiting?.detail).toBe(
      `Agent a was last heard from 60 s ago. After 90 s of silence the job counts as lost and ${expected}`,
    );
  });

  test("is not lost by an outage of the service itself", async () => {
    const { harness } = await withDelivered({ effect: "unsafe" });
    harness.now += 3_600 * SECOND_MS;
    harness.restart();
    const waitingFor = () => jobStatesOf(harness.state, ["job_1"], harness.now)[0]?.waiting?.detail ?? null;
    expect(waitingFor()).toBeNull();
    await harness.advance(50 * SECOND_MS);
    expect(waitingFor()).toStartWith(
      "The service was away and came back 50 s ago. Agent a has not called since then. After 90 s",
    );
  });

  test("fails with agent_lost and a new journal as the reason", async () => {
    const { harness, a } = await withDelivered({ effect: "unsafe" });
    a.journalId = "another";
    a.instanceId = "another";
    a.register();
    await harness.settled();
    expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_lost" } });
    expect(harness.end("job_1")?.error?.message).toStartWith("Agent a came back without its journal.");
  });

  test("has one valid lease: a late report of the first agent is recorded and changes nothing", async () => {
    const { harness, a, b, ref } = await withDelivered({ effect: "idempotent" });
    await b.live(90);
    const [again] = (await b.poll()).jobs.map(refOf);
    expect(await a.report(ref)).toBe("stale");
    expect(harness.stale.map(({ agentId, result }) => [agentId, result.lease])).toEqual([["a", ref.lease]]);
    expect(harness.ends).toEqual([]);
    expect((await a.poll([ref])).cancelled).toEqual([ref]);
    expect(await b.report(again ?? ref)).toBe("accepted");
  });

  test("waits for its pinned agent, and is delivered under a new lease", async () => {
    const { harness, a, ref } = await withDelivered({ effect: "idempotent", pinnedAgentId: "a" });
    await harness.advance(OFFLINE_MS);
    a.heartbeat();
    const [again] = (await a.poll([ref])).jobs;
    expect(again).toMatchObject({ id: "job_1", attempt: 1 });
    expect(again?.lease).not.toBe(ref.lease);
  });

  test("is not delivered again if it was cancelled", async () => {
    const { harness, b } = await withDelivered({ effect: "idempotent" });
    await harness.dispatcher.cancel(["job_1"]);
    await b.live(100);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_lost" } });
  });

  test("starts its queue limit again, not from the first time that it was queued", async () => {
    const { harness, b } = await withDelivered({ effect: "idempotent", queueTimeoutSeconds: 30 });
    await harness.advance(OFFLINE_MS);
    expect(harness.end("job_1")).toBeUndefined();
    b.heartbeat();
    expect(await b.fetch()).toEqual(["job_1"]);
  });
});

describe("a job that its agent reports as interrupted", () => {
  test("is delivered again as a new attempt if it may run twice, also after a restart of the object", async () => {
    const { harness, a, b, ref } = await withDelivered({ effect: "read" });
    expect(await a.report(ref, { status: "interrupted" })).toBe("accepted");
    expect(harness.ends).toEqual([]);
    harness.restart();
    await a.poll();
    const given = [...(await a.poll()).jobs, ...(await b.poll()).jobs];
    expect(given).toMatchObject([{ id: "job_1", attempt: 2 }]);
  });

  test("goes to a healthier agent than the one that was interrupted", async () => {
    const { a, b, ref } = await withDelivered({ effect: "read" });
    await b.poll();
    await a.report(ref, { status: "interrupted" });
    expect(await a.fetch()).toEqual([]);
    expect(await b.fetch()).toEqual(["job_1"]);
  });

  test("fails when it is unsafe", async () => {
    const { harness, a, ref } = await withDelivered({ effect: "unsafe" });
    expect(await a.report(ref, { status: "interrupted" })).toBe("accepted");
    expect(harness.end("job_1")).toMatchObject({ status: "failed", lost: true });
  });

  test("fails once it was lost too often, because it may crash its agents", async () => {
    const { harness, a, ref } = await withDelivered({ effect: "read" });
    let held = ref;
    for (let times = 0; times <= LOST_TIMES_MAX; times += 1) {
      expect(await a.report(held, { status: "interrupted" })).toBe("accepted");
      await harness.advance(20 * SECOND_MS);
      a.heartbeat();
      [held = ref] = (await a.poll()).jobs.map(refOf);
    }
    expect(harness.ends.map(({ report }) => [report.status, report.lost])).toEqual([["failed", true]]);
  });
});

test("jobs of a deleted agent go to others if they may run twice, and fail otherwise", async () => {
  const { harness, b } = await withDelivered({ effect: "read" });
  harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: true });
  await harness.settled();
  expect(await b.fetch()).toEqual(["job_1"]);

  const unsafe = await withDelivered({ effect: "unsafe" });
  unsafe.harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: true, removed: true });
  await unsafe.harness.settled();
  expect(unsafe.harness.end("job_1")).toMatchObject({ error: { code: "agent_lost" } });
  expect(unsafe.harness.end("job_1")?.error?.message).toStartWith("Agent a, which had the job, was deleted. ");
});

test("a lost job goes to another agent, even a less healthy one, or back to the first if no other can", async () => {
  const harness = new DispatcherHarness();
  const [a, b] = [new AgentProbe(harness, "a"), new AgentProbe(harness, "b")];
  for (const agent of [a, b]) agent.register();
  for (const id of ["a", "b"]) harness.state.agents.get(id)?.outcomes.add(true, harness.now, 300);
  harness.enqueue(order("busy"), order("job_1", { effect: "idempotent" }));
  const taken = new Map([
    ["a", (await a.poll()).jobs.map(refOf)],
    ["b", (await b.poll()).jobs.map(refOf)],
  ]);
  const first = taken.get("a")?.some(({ jobId }) => jobId === "job_1") === true ? a : b;
  const other = first === a ? b : a;
  const ref = taken.get(first.agentId)?.find(({ jobId }) => jobId === "job_1");
  if (ref === undefined) throw new Error("the job was not delivered");
  await first.report(ref, { status: "interrupted" });
  const kept = (await other.poll(taken.get(other.agentId))).jobs.map(refOf).find(({ jobId }) => jobId === "job_1");
  if (kept === undefined) throw new Error("the other agent did not get the job");
  harness.dispatcher.offline(first.caller);
  first.register();
  await other.report(kept, { status: "interrupted" });
  harness.dispatcher.offline(other.caller);
  expect(await first.fetch()).toContain("job_1");
});
