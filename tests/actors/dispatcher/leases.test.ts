import { describe, expect, test } from "bun:test";
import type { LeaseRef } from "../../../schema/contract/agent.ts";
import { jobStatesOf } from "../../../worker/actors/dispatcher/views.ts";
import { AgentProbe, connection, order, refOf } from "../../support/dispatcher-harness.ts";
import { withAgent, withDelivered } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;

describe("a delivered job", () => {
  test("is resent under the same lease until the agent lists it", async () => {
    const { agent, job, ref } = await withDelivered();
    expect((await agent.poll()).jobs).toEqual([job]);
    expect((await agent.poll([], 0)).jobs).toEqual([job]);
    expect((await agent.poll([ref])).jobs).toEqual([]);
  });

  test("is resent under the same lease after a restart of the object", async () => {
    const { harness, agent, job, ref } = await withDelivered();
    harness.restart();
    expect((await agent.poll()).jobs).toEqual([job]);
    expect(await agent.report(ref)).toBe("accepted");
  });

  test("is resent with the newest configuration, and ends when its connection was disabled", async () => {
    const { harness, agent } = await withDelivered();
    harness.connections.set("con_1", connection("con_1", { type: "custom", config: { fields: { a: 1 } } }));
    expect((await agent.poll()).jobs[0]?.connection?.config).toEqual({ fields: { a: 1 } });
    harness.connections.set("con_1", connection("con_1", { enabled: false }));
    expect((await agent.poll()).jobs).toEqual([]);
    await harness.settled();
    expect(harness.end("job_1")).toMatchObject({ error: { code: "connection_disabled" }, lost: false });
  });

  test("counts towards the number of jobs that a poll asks for", async () => {
    const { harness, agent } = await withDelivered();
    harness.enqueue(order("job_2"), order("job_3"));
    expect(await agent.fetch([], 2)).toEqual(["job_1", "job_2"]);
  });

  test("is not resent to a disabled agent, and is resent when the agent is enabled again", async () => {
    const { harness, agent, job } = await withDelivered();
    harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 2, enabled: false, removed: false });
    agent.epoch = 2;
    expect((await agent.poll()).jobs).toEqual([]);
    harness.dispatcher.configureAgent({ agentId: "a", name: "a", epoch: 3, enabled: true, removed: false });
    agent.epoch = 3;
    expect((await agent.poll()).jobs).toEqual([job]);
  });

  test("goes to no other agent while its agent has it", async () => {
    const { harness } = await withDelivered();
    const other = new AgentProbe(harness, "b");
    other.register();
    expect(await other.fetch()).toEqual([]);
  });
});

describe("a result", () => {
  test("is committed by its run before it is acknowledged, and is a duplicate when it is reported again", async () => {
    const { harness, agent, ref } = await withDelivered();
    expect(await agent.report(ref)).toBe("accepted");
    expect(harness.end("job_1")).toMatchObject({ status: "succeeded", agentId: "a" });
    expect(await agent.report(ref)).toBe("duplicate");
    harness.restart();
    expect(await agent.report(ref)).toBe("duplicate");
    expect(harness.ends).toHaveLength(1);
  });

  test("sent twice at the same moment is reported to its run once", async () => {
    const { harness, agent, ref } = await withDelivered();
    let release = () => {};
    harness.gate = new Promise((resolve) => (release = resolve));
    const both = [agent.report(ref), agent.report(ref)];
    release();
    expect(await Promise.all(both)).toEqual(["accepted", "duplicate"]);
    expect(harness.ends).toHaveLength(1);
  });

  test("stays with the agent while its run cannot commit it", async () => {
    const { harness, agent, ref } = await withDelivered();
    harness.databaseDown = true;
    expect(await Promise.all([agent.report(ref), agent.report(ref)])).toEqual(["retry", "retry"]);
    harness.restart();
    harness.databaseDown = false;
    expect(await agent.report(ref)).toBe("accepted");
  });

  test("under an invalid lease is refused and recorded, and changes nothing", async () => {
    const { harness, agent, ref } = await withDelivered();
    const other = new AgentProbe(harness, "b");
    other.register();
    expect(await agent.report({ ...ref, lease: "guessed" })).toBe("stale");
    expect(await other.report(ref)).toBe("stale");
    expect(harness.stale.map(({ agentId, result }) => [agentId, result.lease])).toEqual([
      ["a", "guessed"],
      ["b", ref.lease],
    ]);
    expect(harness.ends).toEqual([]);
    expect(await agent.report(ref)).toBe("accepted");
  });

  test("that is stale stays with the agent until it is recorded", async () => {
    const { harness, agent, ref } = await withDelivered();
    harness.databaseDown = true;
    expect(await agent.report({ ...ref, lease: "old" })).toBe("retry");
    harness.databaseDown = false;
    expect(await agent.report({ ...ref, lease: "old" })).toBe("stale");
  });

  test("of an unknown job is answered as unknown", async () => {
    const { agent } = withAgent();
    expect(await agent.report({ jobId: "job_9", lease: "lease9" })).toBe("unknown");
  });

  test("is remembered for 24 hours", async () => {
    const { harness, agent, ref } = await withDelivered();
    await agent.report(ref);
    await harness.advance(23 * 3_600 * SECOND_MS);
    expect(await agent.report(ref)).toBe("duplicate");
    await harness.advance(3 * 3_600 * SECOND_MS);
    expect(await agent.report(ref)).toBe("unknown");
    expect(harness.alarmAt).toBeNull();
  });

  test("of an interrupted job fails the job with an unknown outcome", async () => {
    const { harness, agent, ref } = await withDelivered();
    expect(await agent.report(ref, { status: "interrupted" })).toBe("accepted");
    expect(harness.end("job_1")).toMatchObject({ status: "failed", lost: true, error: { code: "interrupted" } });
  });
});

describe("a cancel", () => {
  test("of a waiting job ends the job without waiting for its run", async () => {
    const { harness } = withAgent();
    harness.enqueue(order("job_1"));
    harness.gate = new Promise(() => {});
    await harness.dispatcher.cancel(["job_1"]);
    expect(jobStatesOf(harness.state, ["job_1"], harness.now)).toMatchObject([{ status: "finished" }]);
  });

  test("of a delivered job is repeated with every poll and heartbeat until the agent reports its end", async () => {
    const { harness, agent, ref } = await withDelivered();
    await harness.dispatcher.cancel(["job_1"]);
    harness.restart();
    for (let n = 0; n < 2; n += 1) {
      expect((await agent.poll([ref])).cancelled).toEqual([ref]);
      expect(await agent.heartbeat([], [ref])).toMatchObject({ cancelled: [ref] });
    }
    expect(await agent.report(ref, { status: "cancelled" })).toBe("accepted");
    expect(harness.end("job_1")).toMatchObject({ status: "cancelled" });
    expect((await agent.poll()).cancelled).toEqual([]);
  });

  test("of a delivered job that the agent does not have ends the job with the next poll", async () => {
    const { harness, agent } = await withDelivered();
    await harness.dispatcher.cancel(["job_1"]);
    expect(await agent.poll()).toEqual({ jobs: [], cancelled: [] });
    await harness.settled();
    expect(harness.end("job_1")).toMatchObject({ status: "cancelled", lost: false });
  });

  test("is sent for unknown jobs, stale leases and jobs that the dispatcher ended", async () => {
    const { harness, agent, ref } = await withDelivered();
    const unknownLease: LeaseRef = { jobId: "job_9", lease: "lease9" };
    expect((await agent.poll([ref, unknownLease])).cancelled).toEqual([unknownLease]);
    await harness.advance(500 * SECOND_MS);
    expect((await agent.poll([ref])).cancelled).toEqual([ref]);
  });

  test("is not sent for a result whose acknowledgement was lost", async () => {
    const { agent, ref } = await withDelivered();
    await agent.report(ref);
    expect(await agent.poll([ref])).toEqual({ jobs: [], cancelled: [] });
  });
});

describe("one process of an agent at a time", () => {
  test("the last registered process is served, and all calls of the other are superseded", async () => {
    const { harness, agent, ref } = await withDelivered();
    const newer = new AgentProbe(harness, "a");
    newer.instanceId = "instance-2";
    newer.register();
    expect(await agent.tryPoll()).toEqual({ refused: "superseded" });
    expect(await agent.heartbeat()).toEqual({ refused: "superseded" });
    await expect(agent.report(ref)).rejects.toThrow("superseded");
    expect((await newer.poll()).jobs.map(refOf)).toEqual([ref]);
    expect(await newer.report(ref)).toBe("accepted");
  });

  test("a process that is superseded while its poll is under way gets no jobs", async () => {
    const { harness, agent } = withAgent();
    harness.enqueue(order("job_1"));
    const polling = agent.tryPoll();
    const newer = new AgentProbe(harness, "a");
    newer.instanceId = "instance-2";
    newer.register();
    expect(await polling).toEqual({ refused: "superseded" });
    expect(await newer.fetch()).toEqual(["job_1"]);
  });

  test("with a new journal, jobs of the old process are lost and never delivered again", async () => {
    const { harness, agent, ref } = await withDelivered();
    harness.enqueue(order("job_2"));
    agent.instanceId = "instance-2";
    agent.journalId = "journal-new";
    agent.register();
    await harness.settled();
    expect(harness.end("job_1")).toMatchObject({ status: "failed", lost: true, error: { code: "agent_lost" } });
    expect(await agent.fetch()).toEqual(["job_2"]);
    expect(await agent.report(ref)).toBe("stale");
  });

  test("with a new journal, a result that is being committed still counts", async () => {
    const { harness, agent, ref } = await withDelivered();
    let release = () => {};
    harness.gate = new Promise((resolve) => (release = resolve));
    const reporting = agent.report(ref);
    agent.instanceId = "instance-2";
    agent.journalId = "journal-new";
    agent.register();
    release();
    expect(await reporting).toBe("accepted");
    await harness.settled();
    expect(harness.ends.map(({ report }) => report.status)).toEqual(["succeeded"]);
  });

  test("with a new journal, a job whose result could not be committed is lost", async () => {
    const { harness, agent, ref } = await withDelivered();
    harness.databaseDown = true;
    const reporting = agent.report(ref);
    agent.instanceId = "instance-2";
    agent.journalId = "journal-new";
    agent.register();
    expect(await reporting).toBe("retry");
    harness.databaseDown = false;
    await harness.advance(60 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "agent_lost" } });
  });
});
