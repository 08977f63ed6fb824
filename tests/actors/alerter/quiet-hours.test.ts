import { beforeEach, describe, expect, test } from "bun:test";
import { AlerterHarness } from "../../support/alerter-harness.ts";

let place: AlerterHarness;
beforeEach(() => {
  place = new AlerterHarness();
});

describe("quiet hours", () => {
  test("keep events over a restart, and send them together at their end", async () => {
    place.addRule({ when: "every", quietHours: { timeZone: "UTC", from: "12:00", to: "14:00" } });
    for (let n = 0; n < 3; n += 1) {
      place.fail(`exe_${n}`, { failure: "further" });
      await place.minutes(20);
      place.restart();
    }
    expect(place.sent).toEqual([]);
    expect(place.alerter.collected("nru_1")).toEqual({
      count: 3,
      subjects: ["exe_0 failed", "exe_1 failed", "exe_2 failed"],
      sendAt: Date.UTC(2026, 0, 5, 14),
      waitsFor: "quiet_hours",
    });
    await place.minutes(70);
    expect(place.alerter.collected("nru_1")).toBeNull();
    expect(place.subjects()).toEqual(["3 notices: nru_1"]);
    expect(new Date(place.sent[0]?.sentAt ?? 0).toISOString()).toBe("2026-01-05T14:00:00.000Z");
  });

  test("that are removed end at once", async () => {
    const rule = place.addRule({ quietHours: { timeZone: "UTC", from: "12:00", to: "14:00" } });
    place.fail("exe_1");
    await place.minutes(1);
    place.rules.splice(0, 1, { id: "nru_1", since: 0, rule: { ...rule, quietHours: null } });
    place.alerter.refresh();
    await place.advance(1_000);
    expect(place.subjects()).toEqual(["exe_1 failed"]);
  });

  test("of a rule that is switched off meanwhile send nothing", async () => {
    const rule = place.addRule({ quietHours: { timeZone: "UTC", from: "12:00", to: "14:00" } });
    place.fail("exe_1");
    await place.minutes(1);
    place.rules.splice(0, 1, { id: "nru_1", since: 0, rule: { ...rule, enabled: false } });
    await place.minutes(180);
    expect(place.sent).toEqual([]);
    expect(place.alerter.collected("nru_1")).toBeNull();
  });
});

describe("grouping", () => {
  test("shows what it collects after the first message, and until when", async () => {
    place.addRule({ when: "every", groupMinutes: 30 });
    place.fail("exe_1");
    await place.minutes(1);
    const { sentAt = 0 } = place.sent[0] ?? {};
    expect(place.alerter.collected("nru_1")).toBeNull();
    place.fail("exe_2", { failure: "further" });
    await place.minutes(1);
    const sendAt = sentAt + 30 * 60_000;
    const collected = place.alerter.collected("nru_1");
    expect(collected).toEqual({ count: 1, subjects: ["exe_2 failed"], sendAt, waitsFor: "grouping" });
    await place.minutes(30);
    expect(place.subjects()).toEqual(["exe_1 failed", "exe_2 failed"]);
  });

  test("that ends in quiet hours goes on until their end", async () => {
    const quietHours = { timeZone: "UTC", from: "12:15", to: "14:00" };
    place.addRule({ when: "every", groupMinutes: 30, quietHours });
    place.fail("exe_1");
    await place.minutes(1);
    place.fail("exe_2", { failure: "further" });
    await place.minutes(1);
    const sendAt = Date.UTC(2026, 0, 5, 14);
    expect(place.alerter.collected("nru_1")).toMatchObject({ count: 1, sendAt, waitsFor: "quiet_hours" });
  });
});
