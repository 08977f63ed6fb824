import { describe, expect, test } from "bun:test";
import { ACCEPTED, AWAY, NotifierHarness } from "../../support/notifier-harness.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

describe("cancelling", () => {
  test("a notification that has not been sent is not sent, and ends as cancelled", async () => {
    const harness = new NotifierHarness();
    harness.enqueue("job_1");
    harness.notifier.cancel(["job_1"]);
    await harness.advance(MINUTE_MS);
    expect(harness.attempts).toEqual([]);
    expect(harness.reported).toMatchObject([{ status: "cancelled", output: null, error: { code: "cancelled" } }]);
  });

  test("a cancel between the record of an attempt and its sending prevents the sending", async () => {
    const harness = new NotifierHarness();
    harness.duringSync = () => harness.notifier.cancel(["job_1"]);
    harness.enqueue("job_1");
    await harness.advance(MINUTE_MS);
    expect(harness.attempts).toEqual([]);
    expect(harness.reported).toMatchObject([{ status: "cancelled", output: { attempts: [] } }]);
  });

  test("an attempt that is under way is the last one, and its success counts", async () => {
    const harness = new NotifierHarness();
    harness.reply = () => null;
    harness.enqueue("job_1", "job_2");
    await harness.advance(0);
    harness.notifier.cancel(["job_1", "job_2"]);
    harness.attempts[0]?.answer(AWAY);
    harness.attempts[1]?.answer(ACCEPTED);
    await harness.advance(MINUTE_MS);
    expect(harness.attempts).toHaveLength(2);
    expect(harness.report("job_1")).toMatchObject({ status: "cancelled" });
    expect(harness.report("job_2")).toMatchObject({ status: "succeeded" });
  });

  test("a cancel that overtakes its order still applies when the order arrives, also after a restart", async () => {
    const harness = new NotifierHarness();
    harness.notifier.cancel(["job_1"]);
    harness.restart();
    harness.enqueue("job_1");
    await harness.advance(MINUTE_MS);
    expect(harness.attempts).toEqual([]);
  });
});

describe("after a restart", () => {
  test("a waiting notification is sent without any call", async () => {
    const harness = new NotifierHarness();
    harness.enqueue("job_1");
    harness.alarmAt = null;
    harness.restart();
    await harness.advance(0);
    expect(harness.reported).toMatchObject([{ jobId: "job_1", status: "succeeded" }]);
  });

  test.each(["webhook", "email", "sms"] as const)(
    "an attempt of %s that was not handed over is repeated",
    async (channel) => {
      const harness = new NotifierHarness();
      harness.channel = channel;
      harness.reply = (_, number) => (number === 1 ? null : ACCEPTED);
      harness.enqueue("job_1");
      await harness.advance(0);
      harness.restart();
      await harness.advance(SECOND_MS);
      expect(harness.reported).toMatchObject([
        { status: "succeeded", output: { attempts: [{ result: "interrupted" }, { result: "accepted" }] } },
      ]);
    },
  );

  test.each(["email", "sms"] as const)("a message of %s that was handed over is not sent again", async (channel) => {
    const harness = new NotifierHarness();
    harness.channel = channel;
    harness.reply = () => null;
    harness.enqueue("job_1");
    await harness.advance(0);
    await harness.attempts[0]?.handOver();
    harness.restart();
    await harness.advance(10 * MINUTE_MS);
    expect(harness.attempts).toHaveLength(1);
    expect(harness.reported).toMatchObject([{ status: "failed", lost: true, error: { code: "outcome_unknown" } }]);
  });

  test("an end that its run has not accepted is reported again, with growing pauses", async () => {
    const harness = new NotifierHarness();
    harness.runAway = true;
    harness.enqueue("job_1");
    await harness.advance(MINUTE_MS);
    harness.restart();
    expect(harness.notifier.jobStates(["job_1"])).toMatchObject([{ status: "finished" }]);
    harness.runAway = false;
    await harness.advance(30 * SECOND_MS);
    expect(harness.attempts).toHaveLength(1);
    expect(harness.reported).toMatchObject([{ status: "succeeded" }]);
  });
});

test("an unavailable run takes no slot from others, and no alarm rings without a pause", async () => {
  const harness = new NotifierHarness();
  harness.runAway = true;
  harness.enqueue(...Array.from({ length: 20 }, (_, n) => `job_${n}`));
  await harness.advance(10 * MINUTE_MS);
  expect(harness.attempts).toHaveLength(20);
  harness.runAway = false;
  await harness.advance(30 * SECOND_MS);
  expect(harness.reported).toHaveLength(20);
});

test("a disk that refuses to record an attempt pauses all attempts for 10 s", async () => {
  const harness = new NotifierHarness();
  harness.enqueue("job_1");
  harness.disk.broken = "rows";
  await harness.advance(5 * SECOND_MS);
  expect(harness.attempts).toEqual([]);
  harness.disk.broken = false;
  await harness.advance(4 * SECOND_MS);
  expect(harness.attempts).toEqual([]);
  await harness.advance(2 * SECOND_MS);
  expect(harness.reported).toMatchObject([{ jobId: "job_1", status: "succeeded" }]);
});

test("an attempt whose end the disk refused to record is resumed when the disk is back", async () => {
  const harness = new NotifierHarness();
  harness.reply = (_, number) => {
    harness.disk.broken = number === 1 ? "rows" : false;
    return ACCEPTED;
  };
  harness.enqueue("job_1");
  await harness.advance(SECOND_MS);
  harness.disk.broken = false;
  await harness.advance(MINUTE_MS);
  expect(harness.reported).toMatchObject([
    { status: "succeeded", output: { attempts: [{ result: "interrupted" }, { result: "accepted" }] } },
  ]);
});
