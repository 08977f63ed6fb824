import { describe, expect, test } from "bun:test";
import { FINISHED_JOB_IDS_KEEP_MS } from "../../../schema/limits.ts";
import type { ChannelAnswer } from "../../../worker/domain/notification/answer.ts";
import { SENDING_AT_ONCE } from "../../../worker/actors/notifier/turns.ts";
import { ACCEPTED, AWAY, NotifierHarness } from "../../support/notifier-harness.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

function refused(
  statusCode: number,
  changes: Partial<Extract<ChannelAnswer, { type: "refused" }>> = {},
): ChannelAnswer {
  return { type: "refused", protocol: "http", statusCode, detail: "no", retryAfterMs: null, login: false, ...changes };
}

describe("sending", () => {
  test("waits while the channels' settings cannot be read, and fails nothing", async () => {
    const harness = new NotifierHarness();
    harness.channelsUnknown = true;
    harness.enqueue("job_1");
    await harness.advance(MINUTE_MS);
    expect([harness.attempts, harness.reported]).toEqual([[], []]);
    harness.channelsUnknown = false;
    await harness.advance(MINUTE_MS);
    expect(harness.attempts).toHaveLength(1);
    expect(harness.reported).toMatchObject([{ jobId: "job_1", status: "succeeded" }]);
  });

  test("a notification is sent once, its end is reported once, and the record has the result", async () => {
    const harness = new NotifierHarness();
    harness.enqueue("job_1");
    await harness.advance(MINUTE_MS);
    expect(harness.attempts).toHaveLength(1);
    expect(harness.reported).toEqual([
      {
        jobId: "job_1",
        attempt: 1,
        status: "succeeded",
        error: null,
        agentId: null,
        lost: false,
        output: {
          channel: "webhook",
          to: ["job_1"],
          attempts: [{ at: "2026-01-05T12:00:00.000Z", result: "accepted", statusCode: 200, detail: "ok" }],
          statusCode: 200,
          messageId: "m1",
          durationMs: 0,
        },
        times: {
          queuedAt: Date.UTC(2026, 0, 5, 12),
          assignedAt: null,
          deliveredAt: null,
          startedAt: Date.UTC(2026, 0, 5, 12),
          finishedAt: Date.UTC(2026, 0, 5, 12),
          reportedAt: Date.UTC(2026, 0, 5, 12),
        },
      },
    ]);
  });

  test("an order that is repeated while it waits, is being sent or has ended is sent once", async () => {
    const harness = new NotifierHarness();
    harness.reply = () => null;
    harness.enqueue("job_1", "job_1");
    await harness.advance(0);
    harness.enqueue("job_1");
    await harness.advance(0);
    harness.attempts[0]?.answer(ACCEPTED);
    await harness.advance(SECOND_MS);
    harness.enqueue("job_1");
    harness.restart();
    harness.enqueue("job_1");
    await harness.advance(MINUTE_MS);
    expect(harness.attempts).toHaveLength(1);
    expect(harness.reported).toHaveLength(1);
  });

  test("a finished id is remembered for 24 hours", async () => {
    const harness = new NotifierHarness();
    harness.enqueue("job_1");
    await harness.advance(FINISHED_JOB_IDS_KEEP_MS - MINUTE_MS);
    expect(harness.notifier.jobStates(["job_1"])).toMatchObject([{ status: "finished" }]);
    await harness.advance(2 * 60 * MINUTE_MS);
    expect(harness.notifier.jobStates(["job_1"])).toEqual([]);
    expect(harness.alarmAt).toBeNull();
  });

  test("a bounded number is sent in parallel, and each end makes room for the next", async () => {
    const harness = new NotifierHarness();
    harness.reply = () => null;
    const jobIds = Array.from({ length: SENDING_AT_ONCE + 2 }, (_, n) => `job_${n}`);
    harness.enqueue(...jobIds);
    await harness.advance(0);
    expect(harness.attempts.map(({ jobId }) => jobId)).toEqual(jobIds.slice(0, SENDING_AT_ONCE));
    expect(harness.notifier.jobStates(["job_0", `job_${SENDING_AT_ONCE + 1}`])).toMatchObject([
      { status: "delivered", waiting: null },
      { status: "queued", waiting: { code: "turn", detail: expect.stringContaining("a few at a time") } },
    ]);
    harness.attempts[1]?.answer(ACCEPTED);
    await harness.advance(0);
    expect(harness.attempts.at(-1)?.jobId).toBe(`job_${SENDING_AT_ONCE}`);
    expect(harness.reported.map(({ jobId }) => jobId)).toEqual(["job_1"]);
  });

  test("attempts start by their due times, and by the sequence of orders when due together", async () => {
    const harness = new NotifierHarness();
    harness.reply = (jobId, number) =>
      jobId === "late" && number === 1 ? refused(503, { retryAfterMs: 2_000 }) : ACCEPTED;
    harness.enqueue("late");
    await harness.advance(1_000);
    const held = Array.from({ length: SENDING_AT_ONCE }, (_, n) => `held_${n}`);
    harness.reply = (jobId) => (jobId.startsWith("held") ? null : ACCEPTED);
    harness.enqueue(...held);
    await harness.advance(3_000);
    harness.enqueue("c", "a", "b");
    await harness.advance(1_000);
    harness.attempts.find(({ jobId }) => jobId === "held_3")?.answer(ACCEPTED);
    await harness.advance(1_000);
    expect(harness.attempts.slice(1 + SENDING_AT_ONCE).map(({ jobId }) => jobId)).toEqual(["late", "c", "a", "b"]);
  });

  test("a notification does not wait for others that are being sent", async () => {
    const harness = new NotifierHarness();
    harness.reply = (jobId) => (jobId === "job_slow" ? null : ACCEPTED);
    harness.enqueue("job_slow");
    await harness.advance(0);
    harness.enqueue("job_2");
    await harness.advance(0);
    expect(harness.reported.map(({ jobId }) => jobId)).toEqual(["job_2"]);
  });

  test("an unusable channel ends the notification immediately with an error that says what to do", async () => {
    const harness = new NotifierHarness();
    harness.refusal = { code: "channel_not_configured", message: "Set it." };
    harness.enqueue("job_1");
    await harness.advance(0);
    expect(harness.reported).toMatchObject([
      { status: "failed", output: null, error: { code: "channel_not_configured", message: "Set it." } },
    ]);
  });
});

describe("trying again", () => {
  test("delays grow, and the sixth failure is the last", async () => {
    const harness = new NotifierHarness();
    harness.reply = () => AWAY;
    harness.enqueue("job_1");
    await harness.advance(10 * MINUTE_MS);
    const [first] = harness.attempts;
    const delays = harness.attempts.map(({ at }) => (at - (first?.at ?? 0)) / SECOND_MS);
    expect(delays).toEqual([0, 1, 5, 21, 81, 141]);
    expect(harness.reported).toMatchObject([{ status: "failed", error: { code: "unreachable" }, lost: false }]);
    expect(harness.reported[0]?.error?.message).toContain("All 6 attempts failed.");
  });

  test("between attempts the state shows the last result and the time of the next attempt", async () => {
    const harness = new NotifierHarness();
    harness.reply = () => AWAY;
    harness.enqueue("job_1");
    await harness.advance(500);
    expect(harness.notifier.jobStates(["job_1"])).toMatchObject([
      {
        status: "delivered",
        waiting: {
          code: "next_try",
          until: "2026-01-05T12:00:01.000Z",
          detail: expect.stringContaining("The next one is at 2026-01-05 12:00:01 UTC"),
        },
      },
    ]);
  });

  test("an attempt waits for Retry-After", async () => {
    const harness = new NotifierHarness();
    harness.reply = (_, number) => (number === 1 ? refused(429, { retryAfterMs: 90 * SECOND_MS }) : ACCEPTED);
    harness.enqueue("job_1");
    await harness.advance(89 * SECOND_MS);
    expect(harness.attempts).toHaveLength(1);
    await harness.advance(2 * SECOND_MS);
    expect(harness.reported).toMatchObject([
      { status: "succeeded", output: { attempts: [{ result: "refused" }, {}] } },
    ]);
  });

  test("the node's time limit covers all attempts: none starts that could not end in time", async () => {
    const harness = new NotifierHarness();
    harness.reply = () => AWAY;
    harness.enqueueOrders(harness.order("job_1", { timeoutSeconds: 10 }));
    await harness.advance(10 * MINUTE_MS);
    expect(harness.attempts).toHaveLength(3);
    expect(harness.reported).toMatchObject([{ status: "failed", error: { code: "unreachable" } }]);
    expect(harness.reported[0]?.error?.message).toContain("timeoutSeconds of 10");
  });

  test("an attempt times out after 30 seconds or at the node's limit", async () => {
    const harness = new NotifierHarness();
    harness.reply = () => null;
    harness.enqueueOrders(harness.order("job_1", { timeoutSeconds: 40 }));
    await harness.advance(30 * SECOND_MS);
    harness.attempts[0]?.answer({ type: "unknown", detail: "It took too long." });
    await harness.advance(0);
    await harness.advance(SECOND_MS);
    expect(harness.attempts.map(({ limitMs }) => limitMs / SECOND_MS)).toEqual([30, 9]);
    await harness.advance(9 * SECOND_MS);
    harness.attempts[1]?.answer({ type: "unknown", detail: "It took too long." });
    await harness.advance(0);
    expect(harness.reported).toMatchObject([{ status: "timed_out", error: { code: "timed_out" } }]);
  });

  test("a message that was handed over waits for its answer until the node's limit, and is sent once", async () => {
    const harness = new NotifierHarness();
    harness.channel = "email";
    harness.reply = () => null;
    harness.enqueueOrders(harness.order("job_1", { timeoutSeconds: 300 }), harness.order("job_2"));
    await harness.advance(10 * SECOND_MS);
    expect(await harness.attempts[0]?.handOver()).toBe(290 * SECOND_MS);
    await harness.attempts[1]?.handOver();
    await harness.advance(200 * SECOND_MS);
    expect(harness.isKeptAwake).toBe(true);
    harness.attempts[0]?.answer(ACCEPTED);
    harness.attempts[1]?.answer({ type: "unknown", detail: "The connection broke off." });
    await harness.advance(10 * MINUTE_MS);
    expect(harness.attempts).toHaveLength(2);
    expect(harness.report("job_1")).toMatchObject({ status: "succeeded" });
    expect(harness.report("job_2")).toMatchObject({
      status: "failed",
      lost: true,
      error: { code: "outcome_unknown" },
      output: { attempts: [{ result: "unknown" }] },
    });
  });

  test("a retry does not wait for another notification's slow attempt", async () => {
    const harness = new NotifierHarness();
    harness.reply = (jobId, number) => (jobId === "job_slow" ? null : number === 1 ? AWAY : ACCEPTED);
    harness.enqueue("job_slow", "job_2");
    await harness.advance(2 * SECOND_MS);
    expect(harness.reported.map(({ jobId }) => jobId)).toEqual(["job_2"]);
  });

  test("a notification that waited longer than queueTimeoutSeconds for its first attempt is not sent", async () => {
    const harness = new NotifierHarness();
    harness.reply = (jobId) => (jobId === "job_late" ? ACCEPTED : null);
    harness.enqueue(...Array.from({ length: SENDING_AT_ONCE }, (_, n) => `job_${n}`));
    harness.enqueueOrders(harness.order("job_late", { queueTimeoutSeconds: 5 }));
    await harness.advance(6 * SECOND_MS);
    harness.attempts[0]?.answer(ACCEPTED);
    await harness.advance(0);
    expect(harness.attemptsOf("job_late")).toEqual([]);
    expect(harness.report("job_late")).toMatchObject({ status: "failed", error: { code: "queue_timeout" } });
  });
});

describe("recipients of one message", () => {
  const greylisted = { address: "b@x", statusCode: 450, detail: "later" };
  const unknown = { address: "c@x", statusCode: 550, detail: "no such user" };

  test("accepted ones get it once, temporary failures are tried again, and permanent failures are named", async () => {
    const harness = new NotifierHarness();
    harness.channel = "email";
    harness.reply = (_, number) =>
      number === 1
        ? { ...ACCEPTED, recipients: { accepted: ["a@x"], rejected: [greylisted, unknown] } }
        : { ...ACCEPTED, recipients: { accepted: ["b@x"], rejected: [] } };
    harness.enqueue("job_1");
    await harness.advance(MINUTE_MS);
    expect(harness.attempts.map(({ finished }) => finished)).toEqual([[], ["a@x", "c@x"]]);
    expect(harness.reported).toMatchObject([
      { status: "succeeded", output: { accepted: ["a@x", "b@x"], rejected: [unknown] } },
    ]);
  });

  test("the message counts as sent when some never accept it, and the result names them", async () => {
    const harness = new NotifierHarness();
    harness.channel = "email";
    harness.reply = (_, number) =>
      number === 1
        ? { ...ACCEPTED, recipients: { accepted: ["a@x"], rejected: [greylisted] } }
        : refused(450, { protocol: "smtp", rejected: [greylisted] });
    harness.enqueue("job_1");
    await harness.advance(10 * MINUTE_MS);
    expect(harness.reported).toMatchObject([
      { status: "succeeded", error: null, output: { accepted: ["a@x"], rejected: [greylisted] } },
    ]);
  });
});
