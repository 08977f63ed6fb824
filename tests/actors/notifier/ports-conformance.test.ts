import "../../support/quiet-log.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { JobReport } from "../../../worker/domain/job-order.ts";
import { ACCEPTED } from "../../support/notifier-harness.ts";
import { fakeNotifierPorts, realNotifierPorts } from "../../support/notifier-ports-places.ts";
import type { NotifierPlace } from "../../support/notifier-ports-places.ts";

const NO_EXECUTION = { executionId: null, workflowId: null, nodeRunId: null };
const LONG_MS = 60_000;
const SHORT_MS = 10;
/** Longer than an attempt may take to notice that its time is over. */
const OVER_MS = 2_100;
const UNKNOWN = { type: "unknown", detail: "The attempt ended without an answer." } as const;

function report(jobId: string, status: JobReport["status"]): JobReport {
  const times = { queuedAt: 1, assignedAt: 2, deliveredAt: 3, startedAt: 4, finishedAt: 5, reportedAt: 6 };
  return { jobId, attempt: 1, status, output: null, error: null, agentId: null, times, lost: false };
}

/** The ports that the Notifier's tests use and the real ones: every case must pass at both. */
describe.each([
  ["the fake ports", fakeNotifierPorts],
  ["the real ports", realNotifierPorts],
])("%s", (_name, open) => {
  let place: NotifierPlace;
  beforeEach(async () => {
    place = await open();
  });
  afterEach(() => place.stop());

  test("give the time, and random numbers from 0 to 1", () => {
    const random = place.ports.random();
    expect([typeof place.ports.now(), random >= 0 && random < 1]).toEqual(["number", true]);
  });

  describe("preparing", () => {
    test("gives the channel and its recipients, and sends nothing", async () => {
      const prepared = await place.ports.prepare(place.order("j"));
      if (!prepared.ok) throw new Error(prepared.failure.message);
      expect(prepared.delivery.target).toEqual({ channel: "webhook", to: [expect.any(String)] });
    });

    test.each([
      ["an unknown channel", { channel: "pigeon", to: "x", message: "hello" }],
      ["no recipient", { channel: "webhook", message: "hello" }],
      ["no message", { channel: "webhook", to: "https://example.com" }],
    ])("refuses an order with %s", async (_what, params) => {
      const prepared = await place.ports.prepare(place.order("j", { params }));
      expect(prepared).toEqual({ ok: false, failure: { code: "invalid_params", message: expect.any(String) } });
    });
  });

  describe("an attempt", () => {
    const handingOver = (noted: number[] = []) => ({
      limitMs: SHORT_MS,
      noteHandover: async () => {
        noted.push(1);
        return LONG_MS;
      },
    });

    test("skips finished recipients, and returns the channel's answer", async () => {
      const open = await place.begin(["a@example.com"], { ...handingOver(), limitMs: LONG_MS });
      expect(open.finished).toEqual(["a@example.com"]);
      open.answer(ACCEPTED);
      expect(await open.answered).toEqual(ACCEPTED);
    });

    test("without an answer ends as unknown when its time is over", async () => {
      const open = await place.begin([], handingOver());
      await place.pass(SHORT_MS + OVER_MS);
      expect(await open.answered).toEqual(UNKNOWN);
    });

    test("records its handover once, and then has the rest of the node's time", async () => {
      const noted: number[] = [];
      const open = await place.begin([], handingOver(noted));
      await open.handOver();
      await place.pass(SHORT_MS + OVER_MS);
      open.answer(ACCEPTED);
      expect(await open.answered).toEqual(ACCEPTED);
      expect(noted).toHaveLength(1);
    });

    test("hands nothing over when its time is over", async () => {
      const noted: number[] = [];
      const open = await place.begin([], handingOver(noted));
      await place.pass(2 * SHORT_MS);
      await expect(open.handOver()).rejects.toThrow();
      expect(noted).toEqual([]);
      open.answer(UNKNOWN);
      expect(await open.answered).toEqual(UNKNOWN);
    });

    test("hands nothing over when the handover could not be recorded", async () => {
      const noteHandover = () => Promise.reject(new Error("the notification was replaced by a newer attempt"));
      const open = await place.begin([], { limitMs: LONG_MS, noteHandover });
      await expect(open.handOver()).rejects.toThrow("the notification was replaced by a newer attempt");
      open.answer(UNKNOWN);
      await open.answered;
    });
  });

  describe("reporting an end", () => {
    test.each([
      ["that no execution ordered", NO_EXECUTION],
      ["of an execution", {}],
    ])("of a notification %s keeps the first", async (_which, changes) => {
      const { params: _params, values: _values, ...facts } = place.order("j", changes);
      await place.addJob(place.order("j", changes));
      expect(await place.endOf("j")).toBeUndefined();
      await place.ports.notifyCompletion(facts, report("j", "failed"));
      await place.ports.notifyCompletion(facts, report("j", "cancelled"));
      expect(await place.endOf("j")).toBe("failed");
    });

    test("that a run does not accept fails", async () => {
      const { params: _params, values: _values, ...facts } = place.order("j");
      place.loseRuns();
      const reported = place.ports.notifyCompletion(facts, report("j", "failed"));
      await expect(reported).rejects.toThrow("does not answer");
      expect(await place.endOf("j")).toBeUndefined();
    });
  });

  describe("waiting with a limit", () => {
    test("ends with the outcome of the work", async () => {
      await place.ports.atMost(Promise.resolve(), LONG_MS);
      await expect(place.ports.atMost(Promise.reject(new Error("broken")), LONG_MS)).rejects.toThrow("broken");
    });

    test("ends without the work when the time is over", async () => {
      const waited = place.ports.atMost(new Promise(() => undefined), SHORT_MS);
      await place.pass(SHORT_MS);
      await waited;
    });
  });
});
