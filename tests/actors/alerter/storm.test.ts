import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOTICES_WAITING_MAX, NOTICE_ATTEMPTS_AT_ONCE } from "../../../schema/limits.ts";
import { emptyQueues } from "../../../scripts/service/end-in-flight.ts";
import { ACCEPTED, AlerterHarness } from "../../support/alerter-harness.ts";
import { ObjectStorage } from "../../support/object-storage.ts";

const MINUTE_MS = 60_000;
const NO_ANSWER = { type: "unknown", detail: "It took too long." } as const;
const AWAY = { type: "unreachable", detail: "No connection could be made." } as const;

let place: AlerterHarness;
beforeEach(() => {
  place = new AlerterHarness();
});

describe("a storm", () => {
  test("of 1,000 failures in a minute is two messages", async () => {
    place.addRule({ when: "every" });
    await place.tick();
    for (let n = 0; n < 1_000; n += 1) {
      place.now += 50;
      place.fail(`exe_${n}`, { failure: "further" });
    }
    await place.minutes(20);
    expect(place.subjects()).toEqual(["exe_0 failed", "999 notices: nru_1"]);
    const [first, second] = place.sent;
    expect((second?.sentAt ?? 0) - (first?.sentAt ?? 0)).toBe(5 * MINUTE_MS);
  });

  test("costs each rule a few writes, and no look at earlier messages", async () => {
    for (let n = 0; n < 10; n += 1) place.addRule({ when: "every" });
    place.fail("exe_first");
    await place.minutes(1);
    for (let n = 0; n < 1_000; n += 1) place.fail(`exe_${n}`, { failure: "further", at: place.now + n });
    const { sql } = place.disk;
    const exec = sql.exec.bind(sql);
    const queries: string[] = [];
    sql.exec = (query, ...bindings) => {
      queries.push(query);
      return exec(query, ...bindings);
    };
    await place.alerter.tick(place.now);
    const count = (pattern: RegExp) => queries.filter((query) => pattern.test(query)).length;
    expect(count(/INTO groups/u)).toBeLessThanOrEqual(30);
    expect(count(/FROM notices/u)).toBeLessThanOrEqual(2);
    expect(count(/INTO seen/u)).toBe(1_000);
  });

  test("leaves nothing behind after some hours", async () => {
    place.addRule({ when: "every" });
    for (let n = 0; n < 100; n += 1) place.fail(`exe_${n}`, { failure: "further", at: place.now + n });
    await place.minutes(10);
    expect(place.disk.count("seen")).toBe(100);
    await place.minutes(120);
    expect([place.disk.count("seen"), place.disk.count("finished") > 0]).toEqual([0, true]);
  });

  test("of more than one look can read is reported whole", async () => {
    place.addRule({ when: "every" });
    await place.tick();
    const count = 12_000;
    for (let n = 0; n < count; n += 1) place.fail(`exe_${n}`, { failure: "further", at: place.now + n });
    await place.minutes(30);
    const counted = place.subjects().map((subject) => /^(\d+) notices/u.exec(subject)?.[1] ?? "1");
    expect(counted.reduce((sum, n) => sum + Number(n), 0)).toBe(count);
  });

  test("without grouping has a bounded number of messages on their way, and loses nothing", async () => {
    place.addRule({ when: "every", groupMinutes: 0 });
    place.reply = () => AWAY;
    await place.tick();
    for (let n = 0; n < 2_000; n += 1) place.fail(`exe_${n}`, { failure: "further", at: place.now + n });
    await place.minutes(1);
    expect(place.alerter.notices("nru_1").filter(({ result }) => result === "sending").length).toBeLessThanOrEqual(500);
    expect(place.alerter.collected("nru_1")).toMatchObject({
      count: 2_000 - NOTICES_WAITING_MAX,
      waitsFor: "receivers",
    });
    place.reply = () => ({ type: "accepted", statusCode: 200, detail: "ok", messageId: null });
    await place.minutes(30);
    const messages = new Map(place.sent.map(({ id, subject }) => [id, subject]));
    const counted = [...messages.values()].map((subject) => Number(/^(\d+) notices/u.exec(subject)?.[1] ?? "1"));
    expect(counted.reduce((sum, n) => sum + n, 0)).toBe(2_000);
    expect(messages.size).toBeLessThanOrEqual(502);
  });
});

test("a recovery is awaited for the thousand newest failures", async () => {
  place.addRule({ groupMinutes: 0 });
  for (let n = 0; n <= 1_000; n += 1)
    place.fail(`exe_${n}`, { runKey: `host ${n}`, failure: "further", at: place.now + n });
  await place.minutes(1);
  for (const n of [0, 1]) place.successes.set(`wf_1 host ${n}`, place.now + MINUTE_MS);
  await place.minutes(1);
  expect(place.subjects().filter((subject) => subject.includes("recovered"))).toEqual(["wf_1 recovered for host 1"]);
});

describe("a receiver", () => {
  test("that hangs does not hold up the messages to others", async () => {
    place.addRule({ when: "every", groupMinutes: 0 });
    place.addRule({ when: "every", receivers: ["ntr_2"], scope: { workflowIds: ["wf_2"] } });
    const { promise, resolve } = Promise.withResolvers<typeof ACCEPTED>();
    place.reply = ({ receiverId }) => {
      if (receiverId === "ntr_1") return promise;
      resolve(ACCEPTED);
      return ACCEPTED;
    };
    for (let n = 0; n < 40; n += 1) place.fail(`exe_${n}`, { failure: "further", at: place.now + n });
    place.fail("exe_last", { at: place.now + 100, workflow: { id: "wf_2", name: "two", tags: [] } });
    await place.minutes(1);
    const before = place.sent.findIndex(({ receiverId }) => receiverId === "ntr_2");
    expect(before).toBe(NOTICE_ATTEMPTS_AT_ONCE);
    await place.minutes(1);
    expect(place.subjects()).toHaveLength(41);
  });

  test("gets its messages at once, however many others hang", async () => {
    const hanging = Array.from({ length: 20 }, (_, n) => `ntr_${n}`);
    place.receivers = [...hanging, "ntr_ok"];
    for (const receivers of [hanging.slice(0, 10), hanging.slice(10)]) {
      place.addRule({ when: "every", groupMinutes: 0, receivers });
    }
    place.addRule({ when: "every", receivers: ["ntr_ok"], scope: { workflowIds: ["wf_2"] } });
    place.reply = ({ receiverId }) => (receiverId === "ntr_ok" ? ACCEPTED : place.after(30_000, NO_ANSWER));
    for (let n = 0; n < NOTICES_WAITING_MAX; n += 1) place.fail(`exe_${n}`, { failure: "further" });
    await place.seconds(2 * 60);
    place.fail("exe_last", { workflow: { id: "wf_2", name: "two", tags: [] } });
    const failedAt = place.now;
    await place.seconds(2 * 60);
    const sent = place.sent.find(({ receiverId }) => receiverId === "ntr_ok");
    expect((sent?.sentAt ?? Infinity) - failedAt).toBeLessThanOrEqual(MINUTE_MS);
    const tried = new Set(place.sent.map(({ receiverId }) => receiverId));
    expect(tried.size).toBe(hanging.length + 1);
  });

  test("gets its messages within seconds while the first attempts to others take ten minutes", async () => {
    const hanging = Array.from({ length: 10 }, (_, n) => `ntr_${n}`);
    place.receivers = [...hanging, "ntr_ok"];
    place.addRule({ when: "every", groupMinutes: 0, receivers: hanging });
    place.addRule({ when: "every", receivers: ["ntr_ok"], scope: { workflowIds: ["wf_2"] } });
    place.reply = ({ receiverId }) => (receiverId === "ntr_ok" ? ACCEPTED : place.after(10 * MINUTE_MS, NO_ANSWER));
    for (let n = 0; n < 5; n += 1) place.fail(`exe_${n}`, { failure: "further" });
    place.fail("exe_last", { workflow: { id: "wf_2", name: "two", tags: [] } });
    await place.seconds(130);
    const sent = place.sent.find(({ receiverId }) => receiverId === "ntr_ok");
    expect((sent?.sentAt ?? Infinity) - (place.sent[0]?.sentAt ?? 0)).toBeLessThanOrEqual(20_000);
  });

  test("that hangs holds up no early look and no collected message", async () => {
    place.addRule({ when: "every", groupMinutes: 0 });
    place.addRule({ recovered: false, groupMinutes: 1, receivers: ["ntr_2"], scope: { workflowIds: ["wf_2"] } });
    place.reply = ({ receiverId }) => (receiverId === "ntr_2" ? ACCEPTED : place.after(30_000, NO_ANSWER));
    for (let n = 0; n < 20; n += 1) place.fail(`exe_${n}`, { failure: "further" });
    await place.seconds(70);
    const workflow = { id: "wf_2", name: "two", tags: [] };
    for (const id of ["exe_a", "exe_b"]) {
      place.fail(id, { workflow });
      place.alerter.nudge();
      await place.seconds(8);
    }
    expect(place.subjects("ntr_2")).toEqual(["exe_a failed"]);
    await place.seconds(60);
    expect(place.subjects("ntr_2")).toEqual(["exe_a failed", "exe_b failed"]);
    const [first, second] = place.sent.filter(({ receiverId }) => receiverId === "ntr_2");
    expect((second?.sentAt ?? 0) - (first?.sentAt ?? 0)).toBeLessThanOrEqual(MINUTE_MS + 3_000);
  });

  test("that is away gets what it missed together, and the others each message at its time", async () => {
    place.addRule({ when: "every", groupMinutes: 0, receivers: ["ntr_1", "ntr_2"] });
    place.addRule({ when: "every", receivers: ["ntr_2"] });
    place.reply = ({ receiverId }) => (receiverId === "ntr_1" ? AWAY : ACCEPTED);
    const count = NOTICES_WAITING_MAX + 70;
    await place.tick();
    for (let n = 0; n < count; n += 1) {
      place.fail(`exe_${n}`, { failure: "further" });
      if (n % 4 !== 3) continue;
      place.alerter.nudge();
      await place.advance(4_000);
      expect(place.subjects("ntr_2")).toContain(`exe_${n} failed`);
    }
    place.restart();
    place.reply = () => ACCEPTED;
    await place.minutes(60);
    const messages = new Map(place.sent.flatMap((one) => (one.receiverId === "ntr_1" ? [[one.id, one.subject]] : [])));
    const counted = [...messages.values()].map((subject) => Number(/^(\d+) notices/u.exec(subject)?.[1] ?? "1"));
    expect(counted.reduce((sum, n) => sum + n, 0)).toBe(count);
    expect(messages.size).toBeLessThan(count);
  });
});

describe("after a restore", () => {
  test("what was on its way counts as failed, and makes room; what had waited is not sent again", async () => {
    place.addRule({ when: "every", groupMinutes: 0 });
    place.addRule({ when: "every", quietHours: { timeZone: "UTC", from: "11:00", to: "13:00" } });
    place.reply = () => AWAY;
    await place.minutes(1);
    for (let n = 0; n < 600; n += 1) place.fail(`exe_${n}`, { failure: "further" });
    await place.tick();
    const file = join(mkdtempSync(join(tmpdir(), "bellhop-")), "alerter.sqlite");
    place.disk.writeTo(file);
    emptyQueues(file);
    place.disk = new ObjectStorage(Database.deserialize(readFileSync(file)));
    place.reply = () => ACCEPTED;
    place.sent.length = 0;
    place.restart();
    expect(place.alerter.notices("nru_1")).not.toContainEqual(expect.objectContaining({ result: "sending" }));
    expect(place.alerter.notices("nru_1")[0]?.detail).toContain("restored from a backup");
    place.fail("exe_later", { failure: "further" });
    await place.minutes(90);
    expect(place.subjects()).toEqual(["exe_later failed", "exe_later failed"]);
  });
});
