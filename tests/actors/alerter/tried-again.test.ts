import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { ACCEPTED, AWAY, AlerterHarness, REFUSED } from "../../support/alerter-harness.ts";

const MINUTE_MS = 60_000;

let place: AlerterHarness;
beforeEach(() => {
  place = new AlerterHarness();
});

describe("a notice", () => {
  test("is tried for a day, and shows meanwhile why it has not arrived", async () => {
    place.addRule({ recovered: false });
    place.fail("exe_1");
    const busy = { ...REFUSED, protocol: "smtp", statusCode: 451, detail: "greylisted" } as const;
    place.reply = () => busy;
    await place.minutes(30);
    expect(place.alerter.notices("nru_1")[0]).toMatchObject({
      result: "sending",
      detail: expect.stringContaining("greylisted"),
    });
    expect(place.alerter.summary().failures["nru_1"]?.detail).toContain("The next one is at 2026-01-05 12:");
    place.restart();
    place.reply = () => ACCEPTED;
    await place.minutes(16);
    expect(place.alerter.notices("nru_1")).toMatchObject([{ result: "sent", detail: null }]);
    expect(place.alerter.summary().failures).toEqual({});
    place.fail("exe_2");
    place.reply = () => busy;
    const before = place.sent.length;
    await place.minutes(25 * 60);
    const [notice] = place.alerter.notices("nru_1");
    expect([notice?.result, notice?.detail]).toEqual(["failed", expect.stringMatching(/451.*24 hours/u)]);
    expect(notice?.detail).not.toMatch(/node|timeoutSeconds/u);
    expect(place.sent.length - before).toBeLessThan(110);
  });

  test.each([
    ["slack", 6, "failed"],
    ["teams", 6, "failed"],
    ["webhook", 9, "sending"],
  ] as const)("to %s without an answer is sent %d times in an hour", async (type, times, result) => {
    place.receiverType = type;
    place.addRule();
    place.fail("exe_1");
    place.reply = () => ({ type: "unknown", detail: "It did not answer in time." });
    await place.minutes(60);
    expect(place.sent).toHaveLength(times);
    expect(place.alerter.notices("nru_1")[0]?.result).toBe(result);
  });

  test("of a rule that is switched off is not sent again", async () => {
    place.addRule();
    place.fail("exe_1");
    place.reply = () => AWAY;
    await place.minutes(1);
    place.changeRule(0, { enabled: false });
    await place.minutes(1);
    const before = place.sent.length;
    await place.minutes(60);
    expect(place.sent).toHaveLength(before);
    expect(place.alerter.notices("nru_1")).toMatchObject([{ result: "failed", detail: "The rule was switched off." }]);
  });

  test("is not sent again to a receiver that its rule no longer has, although another rule has it", async () => {
    place.addRule({ receivers: ["ntr_1", "ntr_2"] });
    place.addRule({ receivers: ["ntr_2"], scope: { workflowIds: ["wf_2"] } });
    place.fail("exe_1");
    place.reply = () => AWAY;
    await place.minutes(1);
    place.changeRule(0, { receivers: ["ntr_1"] });
    place.alerter.refresh();
    await place.advance(0);
    place.reply = () => ACCEPTED;
    const before = place.sent.length;
    await place.minutes(60);
    expect(place.sent.slice(before).map(({ receiverId }) => receiverId)).toEqual(["ntr_1"]);
    expect(place.alerter.notices("nru_1").map(({ receiverId, detail }) => [receiverId, detail])).toEqual([
      ["ntr_2", "The rule no longer has this receiver."],
      ["ntr_1", null],
    ]);
  });

  test("waits as long as its receiver asks for, also for hours", async () => {
    place.addRule();
    place.fail("exe_1");
    place.reply = () =>
      place.sent.length > 1 ? ACCEPTED : { ...REFUSED, statusCode: 429, retryAfterMs: 90 * MINUTE_MS };
    await place.minutes(89);
    expect(place.sent).toHaveLength(1);
    await place.minutes(3);
    expect(place.alerter.notices("nru_1")).toMatchObject([{ result: "sent" }]);
  });

  test("whose receiver asks to wait for a day is tried once more at its end", async () => {
    place.addRule();
    place.fail("exe_1");
    place.reply = () => ({ ...REFUSED, statusCode: 429, retryAfterMs: 24 * 60 * MINUTE_MS });
    await place.minutes(5);
    expect(place.alerter.notices("nru_1")).toMatchObject([{ result: "sending" }]);
    await place.minutes(24 * 60);
    expect(place.alerter.notices("nru_1")).toMatchObject([
      { result: "failed", detail: expect.stringContaining("It was tried for 24 hours.") },
    ]);
    expect(place.sent).toHaveLength(2);
  });

  test("that is tried again after a restart is no error in the log", async () => {
    place.addRule();
    place.fail("exe_1");
    place.reply = () => AWAY;
    await place.tick();
    const logged = spyOn(console, "error").mockImplementation(() => undefined);
    place.restart();
    await place.minutes(2);
    const lines = [...logged.mock.calls];
    logged.mockRestore();
    expect(lines).toEqual([]);
  });
});
