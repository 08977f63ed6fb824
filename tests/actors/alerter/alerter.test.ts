import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { ALERT_OVERLAP_MS, NOTICES_KEPT } from "../../../schema/limits.ts";
import { ACCEPTED, AWAY, AlerterHarness, REFUSED } from "../../support/alerter-harness.ts";

const MINUTE_MS = 60_000;

let place: AlerterHarness;
beforeEach(() => {
  place = new AlerterHarness();
});

describe("without an enabled rule", () => {
  test("nothing but the rules is read, and nothing is written or sent", async () => {
    place.fail("exe_1");
    await place.minutes(3);
    place.alerter.nudge();
    await place.advance(MINUTE_MS);
    expect(place.reads).toEqual({ rules: 3 });
    expect([place.sent, place.disk.rowWrites]).toEqual([[], 0]);
    place.addRule({ enabled: false });
    await place.minutes(2);
    expect(place.reads).toEqual({ rules: 5 });
  });

  test("a rule reads only what it reports", async () => {
    place.addRule({ on: "schedule_disabled" });
    await place.minutes(1);
    expect(place.reads).toEqual({ rules: 1, switchedOff: 1 });
  });
});

test("rules and receivers that are larger together than a value can be are followed, also after a restart", async () => {
  const { sql } = place.disk;
  const exec = sql.exec.bind(sql);
  sql.exec = (query, ...bindings) => {
    if (bindings.some((value) => typeof value === "string" && value.length > 2_000_000)) throw new Error("too large");
    return exec(query, ...bindings);
  };
  place.address = "x".repeat(15_000);
  for (let n = 3; n <= 200; n += 1) place.receivers.push(`ntr_${n}`);
  place.addRule();
  place.addRule({ on: "database_trouble", receivers: ["ntr_200"] });
  place.fail("exe_1");
  await place.minutes(5);
  expect([place.subjects("ntr_1"), place.subjects("ntr_200")]).toEqual([["exe_1 failed"], []]);
  place.receivers.splice(100, 99);
  await place.minutes(1);
  place.restart();
  place.isDatabaseAway = true;
  await place.minutes(5);
  expect(place.subjects("ntr_200")).toEqual(["The service cannot read its database"]);
});

describe("an event", () => {
  test("is sent to each receiver once, however often it is read", async () => {
    place.addRule({ receivers: ["ntr_1", "ntr_2"] });
    place.fail("exe_1");
    await place.minutes(30);
    expect([place.subjects("ntr_1"), place.subjects("ntr_2")]).toEqual([["exe_1 failed"], ["exe_1 failed"]]);
    expect(place.sent[0]?.url).toBe("https://bellhop.example/executions/exe_1");
    expect(new Set(place.sent.map(({ id }) => id)).size).toBe(2);
  });

  test("is sent within seconds after a request for an early look", async () => {
    place.addRule();
    await place.tick();
    place.fail("exe_1");
    place.alerter.nudge();
    place.alerter.nudge();
    await place.advance(4_000);
    expect(place.subjects()).toEqual(["exe_1 failed"]);
    expect(place.reads["rules"]).toBe(2);
  });

  test("is sent within seconds, also when the minute's look comes between the request and the event", async () => {
    place.addRule();
    await place.tick();
    place.alerter.nudge();
    await place.tick();
    place.alerter.refresh();
    await place.advance(10);
    place.fail("exe_1");
    await place.advance(4_000);
    expect(place.subjects()).toEqual(["exe_1 failed"]);
  });

  test("that becomes readable later than newer ones is sent", async () => {
    place.addRule({ when: "every", groupMinutes: 0 });
    await place.minutes(1);
    place.fail("exe_late", { readableAt: place.now + ALERT_OVERLAP_MS - MINUTE_MS });
    place.now += 1;
    place.fail("exe_soon", { failure: "further" });
    await place.minutes(10);
    expect(place.subjects()).toEqual(["exe_soon failed", "exe_late failed"]);
  });

  test("after the clock was set back by an hour is sent", async () => {
    place.addRule({ when: "every" });
    await place.minutes(70);
    place.fail("exe_1");
    await place.minutes(2);
    place.now -= 60 * MINUTE_MS;
    place.alarmAt = null;
    place.fail("exe_2");
    await place.minutes(2);
    expect(place.subjects()).toEqual(["exe_1 failed", "exe_2 failed"]);
  });

  test("from before its rule, or from while it was off, is not sent", async () => {
    place.fail("exe_before", { at: place.now - 1 });
    place.addRule();
    await place.minutes(2);
    expect(place.sent).toEqual([]);
  });

  test("is sent after a restart at any point, and once", async () => {
    place.addRule({ when: "every", groupMinutes: 0 });
    for (let n = 0; n < 5; n += 1) {
      place.fail(`exe_${n}`, { failure: "further" });
      place.restart();
      // It ends after the event is stored, and before anything was sent.
      await place.alerter.tick(place.now);
      place.restart();
      await place.minutes(1);
      place.restart();
    }
    await place.minutes(10);
    expect(place.subjects()).toEqual(["exe_0 failed", "exe_1 failed", "exe_2 failed", "exe_3 failed", "exe_4 failed"]);
  });

  test("is sent although another kind of event cannot be read", async () => {
    place.addRule();
    place.addRule({ on: "approval_waiting" });
    place.broken = "asking";
    place.fail("exe_1");
    await place.minutes(2);
    expect(place.subjects()).toEqual(["exe_1 failed"]);
  });

  test("of an hour without the database is sent once it is back", async () => {
    place.addRule({ when: "every", groupMinutes: 0 });
    await place.minutes(1);
    place.isDatabaseAway = true;
    place.fail("exe_1");
    await place.minutes(60);
    expect(place.sent).toEqual([]);
    place.restart();
    place.isDatabaseAway = false;
    await place.minutes(2);
    expect(place.subjects()).toEqual(["exe_1 failed"]);
  });
});

describe("a recovery", () => {
  test("is sent once after a failure, and again after the next one", async () => {
    place.addRule({ groupMinutes: 0 });
    place.fail("exe_1");
    await place.minutes(2);
    place.successes.set("wf_1", place.now);
    await place.minutes(3);
    place.fail("exe_2");
    await place.minutes(1);
    place.successes.set("wf_1", place.now);
    await place.minutes(10);
    expect(place.subjects()).toEqual(["exe_1 failed", "wf_1 recovered", "exe_2 failed", "wf_1 recovered"]);
  });

  test("between two failures of one minute is sent, too", async () => {
    place.addRule({ groupMinutes: 0 });
    place.fail("exe_1");
    await place.minutes(1);
    place.now += 1_000;
    place.fail("exe_2", { failure: "first" });
    await place.minutes(1);
    expect(place.subjects()).toEqual(["exe_1 failed", 'Workflow "one" succeeded again', "exe_2 failed"]);
  });

  test("is of the key whose run failed, where runs have keys", async () => {
    place.addRule({ groupMinutes: 0 });
    place.fail("exe_1", { runKey: "checkout" });
    place.fail("exe_2", { runKey: "payments" });
    await place.minutes(1);
    place.successes.set("wf_1 payments", place.now);
    await place.minutes(2);
    place.restart();
    expect(place.subjects()).toEqual(["exe_1 failed", "exe_2 failed", "wf_1 recovered for payments"]);
    place.successes.set("wf_1 checkout", place.now);
    await place.minutes(2);
    expect(place.subjects().at(-1)).toBe("wf_1 recovered for checkout");
  });

  test("is not looked for when no rule reports it, or when the workflow was deleted", async () => {
    place.addRule({ recovered: false });
    place.fail("exe_1");
    await place.minutes(1);
    expect(place.reads["recoveries"]).toBeUndefined();
    place.addRule();
    place.fail("exe_2");
    await place.minutes(1);
    place.successes.set("wf_1", null);
    await place.minutes(3);
    expect(place.reads["recoveries"]).toBe(2);
  });
});

describe("a notice", () => {
  test("is tried again by the rules of notifications, with one id", async () => {
    place.addRule();
    place.fail("exe_1");
    place.reply = () => (place.sent.length < 3 ? AWAY : ACCEPTED);
    await place.minutes(5);
    expect(place.sent).toHaveLength(3);
    expect(new Set(place.sent.map(({ id }) => id)).size).toBe(1);
    expect(place.alerter.notices("nru_1")).toMatchObject([{ result: "sent", detail: null, count: 1 }]);
    expect(place.alerter.summary()).toEqual({ failures: {}, counts: [{ on: "run_failed", result: "sent", n: 1 }] });
  });

  test("that fails for good is shown and counted, until its receiver gets another", async () => {
    place.addRule({ when: "every", receivers: ["ntr_1", "ntr_2"] });
    place.fail("exe_1");
    place.reply = ({ receiverId }) => (receiverId === "ntr_1" ? REFUSED : ACCEPTED);
    await place.minutes(1);
    const { failures, counts } = place.alerter.summary();
    expect(failures["nru_1"]).toMatchObject({ receiverId: "ntr_1", detail: expect.stringContaining("404") });
    expect(counts).toEqual([
      { on: "run_failed", result: "failed", n: 1 },
      { on: "run_failed", result: "sent", n: 1 },
    ]);
    place.reply = () => ({ type: "accepted", statusCode: 200, detail: "ok", messageId: null });
    await place.minutes(10);
    place.fail("exe_2");
    await place.minutes(2);
    expect(place.alerter.summary().failures).toEqual({});
  });

  test("to a receiver that the rule no longer has is not its last failure", async () => {
    place.addRule({ when: "every" });
    place.fail("exe_1");
    place.reply = () => REFUSED;
    await place.minutes(1);
    expect(place.alerter.summary().failures["nru_1"]).toMatchObject({ receiverId: "ntr_1" });
    place.changeRule(0, { receivers: ["ntr_2"] });
    await place.minutes(1);
    expect(place.alerter.summary().failures).toEqual({});
  });

  test("to each receiver is known without a look at the kept ones, also after a restart", async () => {
    place.addRule({ when: "every", groupMinutes: 0, receivers: ["ntr_1", "ntr_2"] });
    place.reply = ({ receiverId }) => (receiverId === "ntr_2" ? REFUSED : ACCEPTED);
    place.fail("exe_1");
    await place.tick();
    const failure = { receiverId: "ntr_2", detail: expect.stringContaining("no_service") };
    for (const _ of ["before", "after"]) {
      const { sql } = place.disk;
      const exec = spyOn(sql, "exec");
      expect(place.alerter.summary().failures["nru_1"]).toMatchObject(failure);
      expect(exec.mock.calls.filter(([query]) => query.includes("FROM notices"))).toEqual([]);
      exec.mockRestore();
      place.restart();
    }
    place.reply = () => ACCEPTED;
    place.fail("exe_2", { failure: "further" });
    await place.tick();
    expect(place.alerter.summary().failures).toEqual({});
  });

  test("is one of the last ones that are kept", async () => {
    place.addRule({ when: "every", groupMinutes: 0 });
    for (let n = 0; n < NOTICES_KEPT + 10; n += 1) {
      place.fail(`exe_${n}`, { failure: "further" });
      if (n % 20 === 0) await place.minutes(1);
    }
    await place.minutes(3);
    expect(place.sent).toHaveLength(NOTICES_KEPT + 10);
    const kept = place.alerter.notices("nru_1");
    expect(kept).toHaveLength(NOTICES_KEPT);
    expect(kept[0]?.subject).toBe("exe_59 failed");
    expect(place.disk.count("notices")).toBeLessThanOrEqual(NOTICES_KEPT + 1);
  });

  test("of a deleted rule, or to a deleted receiver, is not sent again", async () => {
    place.addRule();
    place.addRule({ receivers: ["ntr_2"] });
    place.fail("exe_1");
    place.reply = () => AWAY;
    await place.tick();
    const before = place.sent.length;
    place.rules.splice(0, 1);
    place.receivers.splice(1, 1);
    place.alerter.refresh();
    await place.minutes(5);
    expect(place.sent).toHaveLength(before);
    expect(place.alerter.notices("nru_1")).toEqual([]);
    expect(place.alerter.notices("nru_2")).toMatchObject([{ result: "failed", detail: "The receiver was deleted." }]);
  });
});
