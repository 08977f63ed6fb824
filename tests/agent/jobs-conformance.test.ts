import { beforeEach, describe, expect, test } from "bun:test";
import type { Job } from "../../schema/contract/agent.ts";
import { success } from "../support/agent-client.ts";
import { atBothServices, expectProblem } from "../support/agent-places.ts";
import { refOf } from "../support/dispatcher-harness.ts";

/**
 * Delivery, cancels and results of jobs. The cases run against the fake service of the agent's tests and the real one
 * in workerd.
 */
atBothServices((here) => {
  describe("poll", () => {
    beforeEach(() => here.agent.register({ maxConcurrentJobs: 3 }));

    test.each([
      ["capacity=0", 200],
      ["capacity=", 200],
      ["capacity=10000", 200],
      ["capacity=1&capacity=x", 200],
      ["capacity=1&held=", 200],
      ["capacity=1&held=,,", 200],
      ["capacity=1&held=job:lease,", 200],
      ["capacity=1&colour=blue", 200],
      ["", 400],
      ["capacity=-1", 400],
      ["capacity=1.5", 400],
      ["capacity=many", 400],
      ["capacity=10001", 400],
      ["capacity=1&held=job", 400],
      ["capacity=1&held=job:", 400],
      ["capacity=1&held=:lease", 400],
      ["capacity=1&held=job:lease:more", 400],
      ["capacity=1&held=a%20b:lease", 400],
      ["capacity=1&held=job:lease,job", 400],
    ])("with ?%s gets %d", async (query, status) => {
      const answer = await here.agent.send("GET", `/jobs?${query}`);
      if (status === 200) expect(answer.status).toBe(200);
      else expect((await expectProblem(answer, 400, "invalid_request")).errors).toHaveLength(1);
    });

    test("delivers as many jobs as the capacity of the poll and of the registration allow", async () => {
      for (let n = 0; n < 5; n += 1) await here.place.enqueue();
      expect((await here.agent.poll([], 0)).jobs).toHaveLength(0);
      const first = (await here.agent.poll([], 2)).jobs;
      expect(first).toHaveLength(2);
      const second = (await here.agent.poll(first.map(refOf), 5)).jobs;
      expect(second).toHaveLength(1);
      expect((await here.agent.poll([...first, ...second].map(refOf), 5)).jobs).toHaveLength(0);
      await here.agent.report(...first.map((job) => success(job)));
      expect((await here.agent.poll(second.map(refOf), 5)).jobs).toHaveLength(2);
    });

    test("delivers a job again that is not held, under its lease, and counts it once", async () => {
      const [one, two] = [await here.place.enqueue(), await here.place.enqueue()];
      const [job] = (await here.agent.poll([], 1)).jobs;
      expect((await here.agent.poll([], 1)).jobs).toEqual(job === undefined ? [] : [job]);
      expect((await here.agent.poll([], 2)).jobs.map(({ id }) => id)).toEqual([one, two]);
    });

    test("delivers jobs in the contract's form, each under a different lease", async () => {
      const [one, two] = [await here.delivered(), await here.delivered()];
      expect(one.lease).not.toBe(two.lease);
      expect(one).toMatchObject({ kind: "action", action: "script.bash", effect: "unsafe", values: {}, attempt: 1 });
      expect(one.connection).toMatchObject({ type: "script", config: {} });
    });

    test("of a disabled agent gets cancels, but no jobs, not even delivered ones", async () => {
      const [held, lost] = [await here.delivered(), await here.delivered()];
      await here.place.enqueue();
      await here.place.setEnabled(false);
      await here.place.cancel(held.id);
      expect(await here.agent.poll([refOf(held)])).toEqual({ jobs: [], cancelled: [refOf(held)] });
      await here.place.setEnabled(true);
      expect((await here.agent.poll([refOf(held)])).jobs.map(({ id }) => id)).toContain(lost.id);
    });

    test("lists a cancelled job in every answer until its result has arrived", async () => {
      const job = await here.delivered();
      expect((await here.agent.poll([refOf(job)])).cancelled).toEqual([]);
      await here.place.cancel(job.id);
      expect((await here.agent.poll([refOf(job)])).cancelled).toEqual([refOf(job)]);
      expect((await here.agent.heartbeat([refOf(job)])).cancelled).toEqual([refOf(job)]);
      expect((await here.agent.poll([refOf(job)])).cancelled).toEqual([refOf(job)]);
      await here.agent.report({ ...success(job), status: "cancelled" });
      expect((await here.agent.poll([refOf(job)])).cancelled).toEqual([]);
    });

    test("delivers no job that was cancelled before", async () => {
      await here.place.cancel(await here.place.enqueue());
      expect((await here.agent.poll()).jobs).toEqual([]);
    });

    test("delivers no job again that was cancelled before the agent confirmed it", async () => {
      const job = await here.delivered();
      await here.place.cancel(job.id);
      expect(await here.agent.poll([])).toEqual({ jobs: [], cancelled: [] });
      expect(await here.agent.report(success(job))).toEqual(["stale"]);
    });

    test("cancels held jobs that the service does not know, but none that it delivers under another lease", async () => {
      const job = await here.delivered();
      const strange = { jobId: "strange", lease: "lease" };
      const other = { jobId: job.id, lease: "other" };
      const { jobs, cancelled } = await here.agent.poll([strange, other]);
      expect(cancelled).toEqual([strange]);
      expect(jobs).toEqual([job]);
    });
  });

  describe("results", () => {
    beforeEach(() => here.agent.register());

    test("are accepted once, then duplicates, also within one call", async () => {
      const [job, twice] = [await here.delivered(), await here.delivered()];
      expect(await here.agent.report(success(job))).toEqual(["accepted"]);
      expect(await here.agent.report(success(job))).toEqual(["duplicate"]);
      const answer = await here.agent.send("POST", "/results", { results: [success(twice), success(twice)] });
      expect(await answer.json()).toEqual({
        success: true,
        data: {
          acks: [
            { ...refOf(twice), ack: "accepted" },
            { ...refOf(twice), ack: "duplicate" },
          ],
        },
      });
    });

    test("under another lease are stale, before and after the accepted one", async () => {
      const job = await here.delivered();
      const other = { ...success(job), lease: "other" };
      expect(await here.agent.report(other)).toEqual(["stale"]);
      expect(await here.agent.report(success(job))).toEqual(["accepted"]);
      expect(await here.agent.report(other)).toEqual(["stale"]);
    });

    test("of an undelivered job are stale, and of an unknown job unknown", async () => {
      await here.place.setEnabled(false);
      const id = await here.place.enqueue();
      const at = new Date().toISOString();
      const result = {
        lease: "l",
        status: "succeeded",
        output: null,
        error: null,
        startedAt: at,
        finishedAt: at,
      } as const;
      expect(await here.agent.report({ jobId: id, ...result }, { jobId: "nothing", ...result })).toEqual([
        "stale",
        "unknown",
      ]);
    });

    test("with status interrupted lead to another lease where the job is safe to repeat", async () => {
      const [unsafe, read] = [await here.delivered(), await here.delivered("read")];
      const results = [unsafe, read].map((job) => ({ ...success(job, null), status: "interrupted" as const }));
      expect(await here.agent.report(...results)).toEqual(["accepted", "accepted"]);
      const { jobs } = await here.agent.poll();
      expect(jobs.map(({ id }) => id)).toEqual([read.id]);
      expect(jobs[0]?.lease).not.toBe(read.lease);
      expect(await here.agent.report(...results)).toEqual(["duplicate", "stale"]);
    });
  });

  describe("heartbeat", () => {
    beforeEach(() => here.agent.register());

    test("says whether the agent is enabled", async () => {
      expect(await here.agent.heartbeat()).toEqual({ enabled: true, cancelled: [] });
      await here.place.setEnabled(false);
      expect(await here.agent.heartbeat()).toEqual({ enabled: false, cancelled: [] });
    });

    const draining = (held: readonly Job[]) =>
      here.agent.send("POST", "/heartbeat", {
        held: held.map(({ id, lease }) => `${id}:${lease}`),
        load: 0,
        version: "1",
        draining: true,
      });

    test("of an agent that shuts down takes back unheld jobs, and the agent gets no new ones", async () => {
      const [held, lost] = [await here.delivered(), await here.delivered()];
      expect((await draining([held])).status).toBe(200);
      await here.place.enqueue();
      expect((await here.agent.poll([refOf(held)])).jobs).toEqual([]);
      expect(await here.agent.report(success(held), success(lost))).toEqual(["accepted", "stale"]);
      // The same process keeps shutting down; only the next one gets jobs.
      await here.agent.register();
      expect((await here.agent.poll()).jobs).toEqual([]);
      await here.restartAgent();
      const { jobs } = await here.agent.poll();
      expect(jobs).toHaveLength(2);
      expect(jobs.find(({ id }) => id === lost.id)?.lease).not.toBe(lost.lease);
    });

    test("of an agent that shuts down does not take back a job that the agent has confirmed", async () => {
      const job = await here.delivered();
      await here.agent.poll([refOf(job)]);
      await draining([]);
      expect(await here.agent.report(success(job))).toEqual(["accepted"]);
    });
  });

  describe("offline", () => {
    beforeEach(() => here.agent.register());

    test.each([undefined, {}, { held: ["job:lease"] }])("with %j is accepted", async (body) => {
      const answer = await here.agent.send("POST", "/offline", body);
      expect([answer.status, await answer.json()]).toEqual([200, { success: true, data: {} }]);
    });

    test("stops new jobs until the next heartbeat, and results are still accepted", async () => {
      const job = await here.delivered();
      await here.agent.send("POST", "/offline", { held: [] });
      const id = await here.place.enqueue();
      expect((await here.agent.poll([refOf(job)])).jobs).toEqual([]);
      expect(await here.agent.report(success(job))).toEqual(["accepted"]);
      await here.agent.heartbeat();
      expect((await here.agent.poll()).jobs.map((one) => one.id)).toEqual([id]);
    });
  });
});
