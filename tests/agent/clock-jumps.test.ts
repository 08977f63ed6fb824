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
  test(`setting the clock ${name} by hours during a job neither ends the job nor changes its duration`, async () => {
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
    // Both times are by the corrected clock.
    expect(result?.finishedAt).toBe(new Date(agent.clock.wallMs).toISOString());
  });
}

test("a result in its back-off is sent on time although the clock was set back", async () => {
  await running("job1");
  agent.service.refuseOnce("results", 503, "unavailable", { "Retry-After": "60" });
  agent.executor.end("job1");
  await agent.runner.idle();
  await agent.poll();
  expect(agent.service.resultsOf("job1")).toEqual([]);
  // The clock is set back: by the wall clock, the back-off would last for hours.
  agent.clock.wallMs -= 5 * HOUR_MS;
  agent.clock.monoMs += 61 * SECOND_MS;
  await agent.poll();
  expect(agent.service.resultsOf("job1")).toHaveLength(1);
});

test("a job whose machine slept between poll and start fails with begun_too_late", async () => {
  const job = { ...agent.service.enqueue({ id: "job1" }), lease: "lease1" };
  const polled = momentOf(agent.clock);
  // The monotonic clock does not advance while the machine sleeps.
  agent.clock.wallMs += 61 * SECOND_MS;
  expect(await agent.runner.start(job, polled)).toBe(true);
  await agent.runner.idle();
  expect(agent.executor.timesBegun("job1")).toBe(0);
  const [entry] = agent.journal.owed();
  if (entry === undefined) throw new Error("nothing is owed");
  expect(await agent.journal.resultOf(entry)).toMatchObject({ status: "failed", error: { code: "begun_too_late" } });
});

test("a result whose lease was lost while the machine slept is sent once, and dropped as stale", async () => {
  await running("job1");
  agent.clock.wallMs += HOUR_MS;
  // The job has another lease and waits for another agent.
  agent.service.enabled = false;
  agent.service.assignAgain("job1", { lease: "another" });
  agent.executor.end("job1");
  await agent.runner.idle();
  await agent.poll();
  await agent.poll();
  expect(agent.service.resultsOf("job1").map(({ ack }) => ack)).toEqual(["stale"]);
  expect(agent.journal.held()).toEqual([]);
});
