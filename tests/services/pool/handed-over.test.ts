import { describe, expect, test } from "bun:test";
import { cancelJobs } from "../../../worker/services/pool/cancel.ts";
import { viewPool } from "../../../worker/services/pool/views.ts";
import { eventually } from "../../support/eventually.ts";
import { PoolAgentProbe, PoolHarness, connection, order } from "../../support/pool-harness.ts";

const SECOND_MS = 1_000;

/** Pools `web`, `db` and `ops`, each with an agent, and a connection that was moved from `web` to `db` as its job waited. */
function pools() {
  const all = { "pool:web": new PoolHarness(), "pool:db": new PoolHarness(), "pool:ops": new PoolHarness() };
  const harnesses = Object.values(all);
  for (const harness of harnesses) {
    for (const [name, other] of Object.entries(all)) if (other !== harness) harness.others.set(name, other);
  }
  const moveTo = (poolObject: keyof typeof all) => {
    const moved = connection("con_1", { target: { poolObject, pinnedAgentId: null } });
    for (const { connections } of harnesses) connections.set("con_1", moved);
  };
  const agentOf = (poolObject: keyof typeof all, agentId: string) => {
    const agent = new PoolAgentProbe(all[poolObject], agentId);
    agent.register();
    return agent;
  };
  /** Some seconds: the first look at the connection, and every call that is tried again. */
  const pass = async (seconds = 15) => {
    for (let second = 0; second < seconds; second += 1) {
      for (const harness of harnesses) await harness.advance(SECOND_MS);
    }
  };
  const ends = () => harnesses.flatMap((harness) => harness.ends.map(({ report }) => report.status));
  all["pool:web"].enqueue(order("job_1"));
  moveTo("pool:db");
  return { web: all["pool:web"], db: all["pool:db"], ops: all["pool:ops"], moveTo, agentOf, pass, ends };
}

function reasons({ pool }: PoolHarness): string[] {
  return viewPool(pool, "web").waiting.map(({ code }) => code);
}

describe("a job whose connection was moved", () => {
  test("is the other pool's from that one's answer on, though libSQL cannot be told of it yet", async () => {
    const { web, db, agentOf, pass, ends } = pools();
    const agent = agentOf("pool:db", "b");
    db.recordMovesFails = true;
    await pass();
    expect(web.pool.jobs.get("job_1")).toBeUndefined();
    expect(reasons(web)).toEqual([]);
    expect(await agent.fetch()).toEqual(["job_1"]);
    db.restart();
    db.recordMovesFails = false;
    await pass();
    expect(db.recordedMoves.get("job_1")).toEqual({
      jobId: "job_1",
      attempt: 1,
      poolObject: "pool:db",
      pinnedAgentId: null,
      moves: 1,
    });
    await cancelJobs(web.pool, ["job_1"]);
    expect((await agent.poll([{ jobId: "job_1", lease: "lease1" }])).cancelled).toEqual([
      { jobId: "job_1", lease: "lease1" },
    ]);
    expect(ends()).toEqual([]);
  });

  test.each(["before", "after"] as const)(
    "is nobody's in the former pool once a call to the other one failed (%s it arrived), also after a restart",
    async (fails) => {
      const { web, agentOf, moveTo, pass, ends } = pools();
      const [former, present] = [agentOf("pool:web", "a"), agentOf("pool:db", "b")];
      web.forwardFails = fails;
      expect(await former.fetch()).toEqual([]);
      await web.settled();
      expect(reasons(web)).toEqual(["moving"]);
      const there = await present.fetch();
      moveTo("pool:web");
      web.restart();
      expect(await former.fetch()).toEqual([]);
      expect(there).toEqual(fails === "after" ? ["job_1"] : []);
      web.forwardFails = null;
      await pass();
      // It was the other pool's; that one gave it to its agent, or sent it back.
      expect(await former.fetch()).toEqual(fails === "after" ? [] : ["job_1"]);
      expect(ends()).toEqual([]);
    },
  );

  test.each(["before", "after"] as const)(
    "that is cancelled after a call failed (%s it arrived) ends once, and no agent gets it, also after a restart",
    async (fails) => {
      const { web, agentOf, pass, ends } = pools();
      const [former, present] = [agentOf("pool:web", "a"), agentOf("pool:db", "b")];
      web.forwardFails = fails;
      await pass(4);
      await cancelJobs(web.pool, ["job_1"]);
      web.restart();
      expect(await former.fetch()).toEqual([]);
      expect(await present.fetch()).toEqual([]);
      web.forwardFails = null;
      await pass();
      expect(await former.fetch()).toEqual([]);
      expect(await present.fetch()).toEqual([]);
      expect(ends()).toEqual(["cancelled"]);
      expect(web.pool.jobs.get("job_1")).toBeUndefined();
    },
  );

  test("that is cancelled while the call is on its way is cancelled where it arrives", async () => {
    const { web, db, agentOf, pass, ends } = pools();
    const agent = agentOf("pool:db", "b");
    const { promise, resolve } = Promise.withResolvers<void>();
    web.forwardGate = promise;
    web.now += 4 * SECOND_MS;
    const rung = web.ring();
    await eventually("the call is on its way", async () => reasons(web)[0] === "moving");
    const cancelled = cancelJobs(web.pool, ["job_1"]);
    resolve();
    await Promise.all([rung, cancelled]);
    await db.settled();
    expect(ends()).toEqual(["cancelled"]);
    await pass();
    expect(await agent.fetch()).toEqual([]);
    expect(ends()).toEqual(["cancelled"]);
  });

  test("comes back before the former pool has heard that it had gone, and is there once", async () => {
    const { web, db, agentOf, moveTo, pass, ends } = pools();
    const [former, present] = [agentOf("pool:web", "a"), agentOf("pool:db", "b")];
    web.forwardFails = "after";
    await web.advance(4 * SECOND_MS);
    moveTo("pool:web");
    await db.advance(4 * SECOND_MS);
    expect(db.pool.jobs.get("job_1")).toBeUndefined();
    web.forwardFails = null;
    await pass();
    expect(await present.fetch()).toEqual([]);
    expect(await former.fetch()).toEqual(["job_1"]);
    expect(await former.report({ jobId: "job_1", lease: "lease1" })).toBe("accepted");
    await pass();
    expect(ends()).toEqual(["succeeded"]);
  });

  test("comes back and ends before the former pool's call is answered: what is known of its end stays", async () => {
    const { web, db, agentOf, moveTo, ends } = pools();
    const former = agentOf("pool:web", "a");
    const { promise, resolve } = Promise.withResolvers<void>();
    web.forwardAnswerGate = promise;
    web.now += 4 * SECOND_MS;
    const rung = web.ring();
    await eventually("it arrives", () => db.pool.jobs.get("job_1") !== undefined);
    moveTo("pool:web");
    await db.advance(4 * SECOND_MS);
    const ref = { jobId: "job_1", lease: "lease1" };
    expect(await former.fetch()).toEqual(["job_1"]);
    expect(await former.report(ref)).toBe("accepted");
    resolve();
    await rung;
    expect(await former.report(ref)).toBe("duplicate");
    expect(ends()).toEqual(["succeeded"]);
  });

  test("and was cancelled on its way comes back as cancelled", async () => {
    const { web, db, agentOf, moveTo, pass, ends } = pools();
    const former = agentOf("pool:web", "a");
    web.forwardFails = "after";
    await web.advance(4 * SECOND_MS);
    web.forwardFails = "before";
    await cancelJobs(web.pool, ["job_1"]);
    moveTo("pool:web");
    await db.advance(4 * SECOND_MS);
    expect(await former.fetch()).toEqual([]);
    await pass();
    expect(ends()).toEqual(["cancelled"]);
  });

  test("is not taken a second time by a pool that has sent it on", async () => {
    const { web, db, ops, agentOf, moveTo, pass, ends } = pools();
    const [agent, last] = [agentOf("pool:db", "b"), agentOf("pool:ops", "c")];
    web.forwardFails = "after";
    await web.advance(4 * SECOND_MS);
    moveTo("pool:ops");
    await db.advance(4 * SECOND_MS);
    expect(await last.fetch()).toEqual(["job_1"]);
    moveTo("pool:db");
    web.forwardFails = null;
    await pass();
    expect(web.pool.jobs.get("job_1")).toBeUndefined();
    expect(await agent.fetch()).toEqual([]);
    await cancelJobs(web.pool, ["job_1"]);
    expect(ops.pool.jobs.get("job_1")?.job.stage).toMatchObject({ type: "delivered", cancelRequested: true });
    expect(ends()).toEqual([]);
  });
});

test("a pool's storage of an older version knows of forwards from then on", async () => {
  const { web, pass } = pools();
  web.database.run("ALTER TABLE finished DROP COLUMN moves");
  web.restart();
  await pass();
  expect(web.pool.jobs.sentOnTo("job_1")).toBe("pool:db");
  web.restart();
  expect(web.pool.jobs.sentOnTo("job_1")).toBe("pool:db");
});
