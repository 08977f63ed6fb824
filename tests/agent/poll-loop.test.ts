import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { Parts } from "./parts.ts";
import type { PartsOptions } from "./parts.ts";

let parts: Parts | undefined;
afterEach(async () => {
  await parts?.stop();
  parts = undefined;
});

async function started(options?: PartsOptions): Promise<Parts> {
  parts = await Parts.start(options);
  return parts;
}

/** Ends a job and waits until its result is in the journal. */
async function end(agent: Parts, jobId: string, stdout = "done"): Promise<void> {
  agent.executor.end(jobId, { status: "succeeded", output: { stdout } });
  await eventually(`the end of ${jobId}`, () => !agent.runner.running().some((job) => job.jobId === jobId));
}

test("a job is fetched, run and reported once", async () => {
  const agent = await started();
  const { id } = agent.service.enqueue({ params: { script: "true" }, values: { NAME: "value" } });
  await agent.poll();
  expect(agent.executor.begun[0]).toMatchObject({ jobId: id, params: { script: "true" }, values: { NAME: "value" } });
  await end(agent, id, "hello");
  await agent.poll();
  await agent.poll();
  expect(agent.service.results).toHaveLength(1);
  expect(agent.service.results[0]).toMatchObject({
    jobId: id,
    status: "succeeded",
    output: { stdout: "hello" },
    ack: "accepted",
  });
});

test("every poll has the held jobs and the free capacity", async () => {
  const agent = await started({ maxConcurrentJobs: 2 });
  const one = agent.service.enqueue();
  await agent.poll();
  await agent.poll();
  const [first, second] = agent.service.callsTo("jobs").map(({ query }) => [query.get("capacity"), query.get("held")]);
  expect(first).toEqual(["2", ""]);
  expect(second).toEqual(["1", `${one.id}:${agent.service.leaseOf(one.id)}`]);
});

describe("the wait after a poll", () => {
  test("is POLL_INTERVAL, minus up to a tenth", async () => {
    const agent = await started({ random: () => 0.999 });
    const { delayMs, firm } = await agent.poll();
    expect(delayMs).toBeGreaterThan(4_500);
    expect(delayMs).toBeLessThan(4_510);
    expect(firm).toBe(false);
  });

  test("is zero while jobs arrive and there is capacity", async () => {
    const agent = await started({ maxConcurrentJobs: 3 });
    agent.service.enqueue();
    expect((await agent.poll()).delayMs).toBe(0);
    agent.service.enqueue();
    agent.service.enqueue();
    expect((await agent.poll()).delayMs).toBeGreaterThan(0);
  });

  test("grows with failures up to a minute, and no wake shortens it", async () => {
    const agent = await started({ random: () => 1 });
    await agent.poll();
    const waits = [];
    for (let index = 0; index < 9; index++) {
      agent.service.fault("jobs", "lose_answer");
      waits.push(await agent.poll());
    }
    expect(waits.every(({ firm }) => firm)).toBe(true);
    expect(waits.map(({ delayMs }) => delayMs / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  test("is a back-off while the service has not accepted a result, also with a long POLL_INTERVAL", async () => {
    const agent = await started({ random: () => 1, pollIntervalMs: 3_600_000 });
    const { id } = agent.service.enqueue();
    agent.executor.answer = { status: "succeeded", output: {} };
    await agent.poll();
    await agent.runner.idle();
    agent.service.forceAck = "retry";
    const waits = [(await agent.poll()).delayMs, (await agent.poll()).delayMs];
    agent.service.refuseOnce("results", 503, "unavailable", { "Retry-After": "20" });
    waits.push((await agent.poll()).delayMs);
    agent.clock.advance(19_000);
    waits.push((await agent.poll()).delayMs);
    expect(waits).toEqual([1_000, 2_000, 20_000, 1_000]);
    agent.clock.advance(1_000);
    agent.service.forceAck = null;
    expect((await agent.poll()).delayMs).toBe(3_240_000);
    expect(agent.service.resultsOf(id).at(-1)?.ack).toBe("accepted");
  });

  test("is that of Retry-After, up to five minutes", async () => {
    const agent = await started();
    await agent.poll();
    for (const [header, seconds] of [
      ["17", 17],
      ["100000", 300],
      ["soon", 0.75],
    ] as const) {
      agent.service.refuseOnce("jobs", 503, "unavailable", { "Retry-After": header });
      expect((await agent.poll()).delayMs).toBe(seconds * 1_000);
      await agent.poll();
    }
  });
});

describe("a lost answer", () => {
  test("of a poll neither loses nor doubles jobs", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    agent.service.fault("jobs", "lose_answer");
    await agent.poll();
    expect(agent.executor.begun).toEqual([]);
    await agent.poll();
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
  });

  test("of a result leads to a second report, which the service counts as a duplicate", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    await end(agent, id);
    agent.service.fault("results", "lose_answer");
    await agent.sender.send();
    expect(agent.journal.owed()).toHaveLength(1);
    agent.clock.advance(60_000);
    await agent.poll();
    expect(agent.service.resultsOf(id).map(({ ack }) => ack)).toEqual(["accepted", "duplicate"]);
    expect(agent.journal.held()).toEqual([]);
  });
});

describe("a job that is delivered again", () => {
  test("under the same lease during its run changes nothing", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    agent.service.rawJobs.push(agent.service.jobOf(id));
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
  });

  test("twice in one answer runs once", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    agent.service.rawJobs.push({ ...agent.service.jobOf(id), lease: "other" });
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
  });

  test("under a newer lease during its run is reported under the newer lease", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    agent.service.assignAgain(id);
    await agent.poll();
    await end(agent, id);
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
    expect(agent.service.resultsOf(id)).toMatchObject([{ lease: agent.service.leaseOf(id), ack: "accepted" }]);
  });

  test("under a newer lease after its end gets the stored result, also after a restart", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    await end(agent, id, "the first and only");
    await agent.poll();
    await agent.restart();
    agent.service.assignAgain(id);
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
    expect(agent.service.resultsOf(id)).toMatchObject([
      { ack: "accepted", output: { stdout: "the first and only" } },
      { ack: "accepted", output: { stdout: "the first and only" }, lease: agent.service.leaseOf(id) },
    ]);
  });

  test("under the same lease after its result was acknowledged gets the stored result", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    await end(agent, id);
    await agent.poll();
    agent.service.forgetResult(id);
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
    expect(agent.service.resultsOf(id).map(({ ack }) => ack)).toEqual(["accepted", "accepted"]);
  });

  test("as a higher attempt after its end is a retry of the workflow, and runs", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    await end(agent, id, "first");
    await agent.poll();
    agent.service.assignAgain(id, { attempt: 2 });
    await agent.poll();
    await end(agent, id, "second");
    await agent.poll();
    expect(agent.service.resultsOf(id).map(({ output }) => output)).toEqual([
      { stdout: "first" },
      { stdout: "second" },
    ]);
  });

  test("as a higher attempt during its run continues the run, because two would run concurrently", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    agent.service.assignAgain(id, { attempt: 2 });
    await agent.poll();
    await end(agent, id);
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
    expect(agent.service.resultsOf(id)).toMatchObject([{ lease: agent.service.leaseOf(id), ack: "accepted" }]);
  });

  test("after an agent ended during its run is reported as interrupted, and does not run again", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    await agent.poll();
    await agent.restart();
    agent.service.assignAgain(id);
    await agent.poll();
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
    const results = agent.service.resultsOf(id);
    expect(results.map(({ status }) => new Set([status]).has("interrupted"))).not.toContain(false);
    expect(results.at(-1)).toMatchObject({ ack: "accepted", lease: agent.service.leaseOf(id) });
  });
});

describe("the agent leaves a job with the service, unreported", () => {
  test("if it exceeds the capacity", async () => {
    const agent = await started({ maxConcurrentJobs: 1 });
    const one = agent.service.enqueue();
    await agent.poll();
    agent.service.rawJobs.push({ ...agent.service.jobOf(one.id), id: "extra", lease: "lx" });
    await agent.poll();
    expect(agent.executor.timesBegun("extra")).toBe(0);
    expect(agent.journal.held()).toHaveLength(1);
    expect(agent.logLines.join("")).toContain('"no_room":1');
  });

  test("if it would begin too late after its poll", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue({ startWithinSeconds: 60 });
    agent.service.beforeAnswer("jobs", () => agent.clock.advance(60_001));
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(0);
    agent.service.beforeAnswer("jobs", () => agent.clock.advance(59_999));
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(1);
    expect(agent.service.results).toEqual([]);
  });

  test("if it would begin too late because the machine slept, though the monotonic clock did not advance", async () => {
    const agent = await started();
    const { id } = agent.service.enqueue();
    agent.service.beforeAnswer("jobs", () => {
      agent.clock.wallMs += 3_600_000;
    });
    await agent.poll();
    expect(agent.executor.timesBegun(id)).toBe(0);
  });

  test("if it has no valid id and lease", async () => {
    const agent = await started();
    const nameless = [null, 7, "job", [], {}, { id: "a" }, { lease: "l" }, { id: "../../etc/passwd", lease: "l1" }];
    agent.service.rawJobs.push(...nameless, { id: "a b", lease: "l" }, { id: "ok", lease: "a:b" });
    const good = agent.service.enqueue();
    await agent.poll();
    expect(agent.executor.begun.map(({ jobId }) => jobId)).toEqual([good.id]);
    expect(agent.logLines.join("")).toContain('"nameless":10');
  });
});
