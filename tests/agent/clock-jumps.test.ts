import { afterEach, beforeEach, expect, test } from "bun:test";
import { momentOf } from "../../agent/clock.ts";
import { eventually } from "../support/eventually.ts";
import { Parts } from "./parts.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

let agent: Parts;
beforeEach(async () => {
  agent = await Parts.start();
});
afterEach(async () => {
  await agent.stop();
});

async function running(id: string): Promise<void> {
  agent.service.enqueue({ id, timeoutSeconds: 60 });
  await agent.poll();
  await eventually("the job", () => agent.executor.timesBegun(id) === 1);
}

for (const [name, hours] of [
  ["forward", 5],
  ["back", -5],
] as const) {
  test(`a clock that is set ${name} by hours while a job runs ends no job, and changes no duration`, async () => {
    await running("job1");
    agent.clock.advance(7 * SECOND_MS);
    agent.clock.wallMs += hours * HOUR_MS;
    await agent.poll();
    await agent.heartbeat();
    expect(agent.runner.size).toBe(1);
    agent.executor.end("job1");
    await agent.runner.idle();
    await agent.poll();
    const [result] = agent.service.resultsOf("job1");
    expect(result).toMatchObject({ status: "succeeded", ack: "accepted" });
    const took = Date.parse(result?.finishedAt ?? "") - Date.parse(result?.startedAt ?? "");
    expect(took).toBe(7 * SECOND_MS);
    // By the clock as it is now: when it was put right, both times are.
    expect(result?.finishedAt).toBe(new Date(agent.clock.wallMs).toISOString());
  });
}

test("a result that was held back by a clock's jump is sent, not waited for", async () => {
  await running("job1");
  agent.service.refuseOnce("results", 503, "unavailable", { "Retry-After": "60" });
  agent.executor.end("job1");
  await agent.runner.idle();
  await agent.poll();
  expect(agent.service.resultsOf("job1")).toEqual([]);
  // Set back: by the wall clock the back-off would never be over.
  agent.clock.wallMs -= 5 * HOUR_MS;
  agent.clock.monoMs += 61 * SECOND_MS;
  await agent.poll();
  expect(agent.service.resultsOf("job1")).toHaveLength(1);
});

test("a machine that slept between the poll and the start does not run the job, and says so", async () => {
  const job = { ...agent.service.enqueue({ id: "job1" }), lease: "lease1" };
  const polled = momentOf(agent.clock);
  // The monotonic clock stands still while the machine sleeps.
  agent.clock.wallMs += 61 * SECOND_MS;
  expect(await agent.runner.start(job, polled)).toBe(true);
  await agent.runner.idle();
  expect(agent.executor.timesBegun("job1")).toBe(0);
  const [entry] = agent.journal.owed();
  if (entry === undefined) throw new Error("nothing is owed");
  expect(await agent.journal.resultOf(entry)).toMatchObject({ status: "failed", error: { code: "begun_too_late" } });
});

test("a lease that was lost while the machine slept: the result goes once, and its answer is the end of it", async () => {
  await running("job1");
  agent.clock.wallMs += HOUR_MS;
  // It waits for another agent, under a lease of its own.
  agent.service.enabled = false;
  agent.service.assignAgain("job1", { lease: "another" });
  agent.executor.end("job1");
  await agent.runner.idle();
  await agent.poll();
  await agent.poll();
  expect(agent.service.resultsOf("job1").map(({ ack }) => ack)).toEqual(["stale"]);
  expect(agent.journal.held()).toEqual([]);
});
