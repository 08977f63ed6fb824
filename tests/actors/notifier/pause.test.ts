import { expect, test } from "bun:test";
import { PAUSE_FOLLOWED_WITHIN_MS } from "../../../schema/limits.ts";
import { SENDING_AT_ONCE } from "../../../worker/actors/notifier/turns.ts";
import { pause, resume } from "../../../worker/domain/control.ts";
import { ACCEPTED, AWAY, NotifierHarness } from "../../support/notifier-harness.ts";

const SECOND_MS = 1_000;

function pauseNow(harness: NotifierHarness): void {
  harness.control = pause(harness.control, { by: "bootstrap", at: harness.now, reason: "Failover" });
}

function resumeNow(harness: NotifierHarness): void {
  harness.control = resume(harness.control, harness.now);
}

test("during a pause no notification begins, each says why, and all are sent once within 5 s after it", async () => {
  const harness = new NotifierHarness();
  pauseNow(harness);
  const jobs = Array.from({ length: SENDING_AT_ONCE + 4 }, (_, n) => `job_${n}`);
  harness.enqueue(...jobs);
  await harness.advance(60 * SECOND_MS);
  harness.restart();
  await harness.advance(60 * SECOND_MS);
  expect(harness.attempts).toEqual([]);
  const detail = expect.stringMatching(/^All runs have been paused by the bootstrap token since .*: Failover$/u);
  expect(harness.notifier.jobStates(["job_19"])).toMatchObject([
    { status: "queued", waiting: { code: "paused", detail } },
  ]);
  resumeNow(harness);
  await harness.advance(PAUSE_FOLLOWED_WITHIN_MS);
  expect(harness.attempts.map(({ jobId }) => jobId)).toEqual(jobs);
  expect(harness.reported).toHaveLength(jobs.length);
});

test("a notification that had an attempt is tried again during a pause, behind any number of waiting ones", async () => {
  const harness = new NotifierHarness();
  harness.reply = (_, number) => (number === 1 ? AWAY : ACCEPTED);
  harness.enqueue("job_begun");
  await harness.advance(0);
  expect(harness.attempts).toHaveLength(1);
  pauseNow(harness);
  harness.enqueue(...Array.from({ length: SENDING_AT_ONCE + 4 }, (_, n) => `job_${n}`));
  await harness.advance(60 * SECOND_MS);
  expect(harness.attempts.map(({ jobId }) => jobId)).toEqual(["job_begun", "job_begun"]);
  expect(harness.report("job_begun")?.status).toBe("succeeded");
});

test("a waiting notification can be cancelled, and queueTimeoutSeconds starts again after the pause", async () => {
  const harness = new NotifierHarness();
  pauseNow(harness);
  harness.enqueueOrders(harness.order("job_1", { queueTimeoutSeconds: 5 }));
  harness.enqueue("job_2");
  await harness.advance(60 * SECOND_MS);
  harness.notifier.cancel(["job_2"]);
  await harness.advance(SECOND_MS);
  expect(harness.report("job_2")?.status).toBe("cancelled");
  resumeNow(harness);
  await harness.advance(4 * SECOND_MS);
  expect(harness.report("job_1")?.status).toBe("succeeded");
  expect(harness.attemptsOf("job_2")).toEqual([]);
});
