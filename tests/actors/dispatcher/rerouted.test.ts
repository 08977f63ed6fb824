import { describe, expect, test } from "bun:test";
import { jobStatesOf, viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { eventually } from "../../support/eventually.ts";
import { OrderingRuns } from "../../support/ordering-runs.ts";
import { AgentProbe, DispatcherHarness, connection, order, refOf } from "../../support/dispatcher-harness.ts";

const SECOND_MS = 1_000;

/** Pools `web`, `db` and `ops`, and a connection that was moved from `web` to `db` while its job waits. */
function pools(changes: Parameters<typeof order>[1] = {}) {
  const all = {
    "pool:web": new DispatcherHarness(),
    "pool:db": new DispatcherHarness(),
    "pool:ops": new DispatcherHarness(),
  };
  const harnesses = Object.values(all);
  const run = new OrderingRuns(new Map(Object.entries(all)));
  const moveTo = (poolObject: keyof typeof all) => {
    const moved = connection("con_1", { target: { poolObject, pinnedAgentId: null } });
    for (const { connections } of harnesses) connections.set("con_1", moved);
  };
  const agentOf = (poolObject: keyof typeof all, agentId: string) => {
    const agent = new AgentProbe(all[poolObject], agentId);
    agent.register();
    return agent;
  };
  /** Enough seconds for the first read of the connection and every repeated call. */
  const pass = async (seconds = 15) => {
    for (let second = 0; second < seconds; second += 1) {
      for (const harness of harnesses) await harness.advance(SECOND_MS);
    }
  };
  const ends = () => run.ends.map(({ status }) => status);
  run.order(order("job_1", changes));
  moveTo("pool:db");
  return { web: all["pool:web"], db: all["pool:db"], ops: all["pool:ops"], run, moveTo, agentOf, pass, ends };
}

function reasons({ state, now }: DispatcherHarness): string[] {
  return viewPool(state, "web", now).waiting.map(({ code }) => code);
}

describe("a job whose connection was moved", () => {
  test("is ordered in the other pool in the same attempt, and leaves nothing waiting in the first", async () => {
    const { web, run, agentOf, pass, ends } = pools();
    const agent = agentOf("pool:db", "b");
    await pass();
    expect(web.state.jobs.get("job_1")).toBeUndefined();
    expect(jobStatesOf(web.state, ["job_1"], web.now)).toEqual([]);
    expect(reasons(web)).toEqual([]);
    expect(run.jobs.get("job_1")?.order).toMatchObject({ attempt: 1, poolObject: "pool:db", reroutes: 1 });
    const [job] = (await agent.poll()).jobs;
    if (job === undefined) throw new Error("the job was not delivered");
    expect(job).toMatchObject({ id: "job_1", attempt: 1, params: { script: "echo hello" } });
    expect(await agent.report(refOf(job))).toBe("accepted");
    expect(ends()).toEqual(["succeeded"]);
  });

  test("is shown as on its way until its run has accepted the move", async () => {
    const { web, run, pass } = pools();
    run.takingFails = "before";
    await pass();
    expect(viewPool(web.state, "web", web.now)).toMatchObject({
      queueDepth: 1,
      waiting: [{ jobId: "job_1", code: "moving" }],
    });
    expect(jobStatesOf(web.state, ["job_1"], web.now)).toMatchObject([{ status: "queued", agentId: null }]);
  });

  test.each(["before", "after"] as const)(
    "goes to no agent of the first pool after its report to the run failed %s the commit, also after a restart",
    async (fails) => {
      const { web, run, agentOf, moveTo, pass, ends } = pools();
      const [former, present] = [agentOf("pool:web", "a"), agentOf("pool:db", "b")];
      run.takingFails = fails;
      expect(await former.fetch()).toEqual([]);
      await web.settled();
      expect(reasons(web)).toEqual(["moving"]);
      const there = await present.fetch();
      expect(there).toEqual(fails === "after" ? ["job_1"] : []);
      moveTo("pool:web");
      web.restart();
      expect(await former.fetch()).toEqual([]);
      run.takingFails = null;
      await pass();
      // The other pool gave the job to its agent, or had it ordered in the first pool again.
      expect(await former.fetch()).toEqual(fails === "after" ? [] : ["job_1"]);
      expect(ends()).toEqual([]);
    },
  );

  test("reaches the other pool when the run ends between its commit and that call", async () => {
    const { run, agentOf, pass } = pools();
    const agent = agentOf("pool:db", "b");
    run.callsFail = true;
    await pass();
    expect(await agent.fetch()).toEqual([]);
    run.callsFail = false;
    run.orderAgain();
    expect(await agent.fetch()).toEqual(["job_1"]);
  });

  test.each(["before", "after"] as const)(
    "is not run if it is cancelled while reports to the run fail %s the commit, also after a restart",
    async (fails) => {
      const { web, db, run, agentOf, pass } = pools();
      const [former, present] = [agentOf("pool:web", "a"), agentOf("pool:db", "b")];
      run.takingFails = fails;
      await pass(4);
      run.cancel("job_1");
      web.restart();
      expect(await former.fetch()).toEqual([]);
      expect(await present.fetch()).toEqual([]);
      run.takingFails = null;
      await pass();
      expect(await former.fetch()).toEqual([]);
      expect(await present.fetch()).toEqual([]);
      for (const { state } of [web, db]) expect(state.jobs.get("job_1")).toBeUndefined();
    },
  );

  test("keeps its queue limit, counted from the first time that it was queued", async () => {
    const { db, pass, ends } = pools({ queueTimeoutSeconds: 20 });
    await pass(10);
    expect(db.state.jobs.waiting()).toHaveLength(1);
    await pass(11);
    expect(ends()).toEqual(["failed"]);
    expect(db.end("job_1")?.error?.code).toBe("queue_timeout");
  });

  test("keeps its number of losses, and starts its queue limit again", async () => {
    const { web, db, moveTo, agentOf, pass } = pools({ effect: "idempotent", queueTimeoutSeconds: 20 });
    moveTo("pool:web");
    const former = agentOf("pool:web", "a");
    const [job] = (await former.poll()).jobs;
    if (job === undefined) throw new Error("the job was not delivered");
    await former.live(30, [refOf(job)]);
    expect(await former.report(refOf(job), { status: "interrupted" })).toBe("accepted");
    db.now = web.now;
    moveTo("pool:db");
    expect(await former.fetch()).toEqual([]);
    await pass(4);
    const [again] = (await agentOf("pool:db", "b").poll()).jobs;
    expect(again).toMatchObject({ id: "job_1", attempt: 2 });
    expect(db.state.jobs.get("job_1")?.job.facts).toMatchObject({ lost: 1, interrupted: 1, attempt: 1 });
    // The earlier lease is no longer valid, and its result is only recorded.
    expect(await former.report(refOf(job))).toBe("stale");
    expect(web.stale).toHaveLength(1);
  });

  test("that returns and ends before the first pool has its answer keeps its recorded end", async () => {
    const { web, db, run, agentOf, moveTo, ends } = pools();
    const former = agentOf("pool:web", "a");
    const { promise, resolve } = Promise.withResolvers<void>();
    run.answerGate = promise;
    web.now += 4 * SECOND_MS;
    const rung = web.ring();
    await eventually("the job to arrive", () => db.state.jobs.get("job_1") !== undefined);
    run.answerGate = null;
    moveTo("pool:web");
    await db.advance(4 * SECOND_MS);
    const ref = { jobId: "job_1", lease: "lease1" };
    expect(await former.fetch()).toEqual(["job_1"]);
    expect(await former.report(ref)).toBe("accepted");
    resolve();
    await rung;
    expect(await former.report(ref)).toBe("duplicate");
    run.orderAgain();
    web.enqueue(order("job_1", { reroutes: 2 }));
    expect(await former.fetch()).toEqual([]);
    expect(ends()).toEqual(["succeeded"]);
  });

  test("is not accepted again by a pool that it has left, and a late report does not bring it back", async () => {
    const { web, ops, run, agentOf, moveTo, pass, ends } = pools();
    const [agent, last] = [agentOf("pool:db", "b"), agentOf("pool:ops", "c")];
    run.takingFails = "after";
    await web.advance(4 * SECOND_MS);
    run.takingFails = null;
    moveTo("pool:ops");
    expect(await agent.fetch()).toEqual([]);
    expect(await last.fetch()).toEqual(["job_1"]);
    moveTo("pool:db");
    await pass();
    expect(run.jobs.get("job_1")?.order).toMatchObject({ poolObject: "pool:ops", reroutes: 2 });
    expect(await agent.fetch()).toEqual([]);
    run.cancel("job_1");
    expect(ops.state.jobs.get("job_1")?.job.stage).toMatchObject({ type: "delivered", cancelRequested: true });
    expect(ends()).toEqual([]);
  });
});

test("a connection test whose connection was moved ends and says what to do", async () => {
  const { web, run, moveTo, pass } = pools();
  moveTo("pool:web");
  run.order(order("job_2", { kind: "connectionTest", executionId: null, workflowId: null, action: null }));
  moveTo("pool:db");
  await pass();
  expect(web.end("job_2")).toMatchObject({ status: "failed", error: { code: "connection_moved" } });
});
