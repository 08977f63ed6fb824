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
    await place.minutes(70);
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
  });
});
