import { describe, expect, test } from "bun:test";
import type { NotificationRuleInput, QuietHours } from "../../schema/contract/notification-rule.ts";
import { notificationRuleInputSchema } from "../../schema/contract/notification-rule.ts";
import { NOTICE_LINES_MAX } from "../../schema/limits.ts";
import { applies } from "../../worker/domain/alerts/applies.ts";
import type { AlertEvent, AlertLine } from "../../worker/domain/alerts/event.ts";
import { collect, nextSend } from "../../worker/domain/alerts/group.ts";
import type { Collected } from "../../worker/domain/alerts/group.ts";
import { messageOf } from "../../worker/domain/alerts/message.ts";
import { quietUntil } from "../../worker/domain/alerts/quiet-hours.ts";

const at = (text: string) => Date.parse(text);
const MINUTE_MS = 60_000;

const NIGHT: QuietHours = { timeZone: "Europe/Berlin", from: "22:00", to: "07:00" };
const quiet = (more: Partial<QuietHours> = {}): QuietHours => ({ ...NIGHT, ...more });

describe("quiet hours", () => {
  test.each<[what: string, hours: QuietHours, now: string, until: string | null]>([
    ["a millisecond before", NIGHT, "2026-01-15T20:59:59.999Z", null],
    ["at their beginning", NIGHT, "2026-01-15T21:00:00Z", "2026-01-16T06:00:00Z"],
    ["at midnight", NIGHT, "2026-01-15T23:00:00Z", "2026-01-16T06:00:00Z"],
    ["a millisecond before their end", NIGHT, "2026-01-16T05:59:59.999Z", "2026-01-16T06:00:00Z"],
    ["at their end", NIGHT, "2026-01-16T06:00:00Z", null],
    ["in the morning of a day", quiet({ from: "09:00", to: "17:00" }), "2026-07-01T07:00:00Z", "2026-07-01T15:00:00Z"],
    ["in the evening of that day", quiet({ from: "09:00", to: "17:00" }), "2026-07-01T15:00:00Z", null],
    ["almost the whole day", quiet({ from: "07:01", to: "07:00" }), "2026-07-01T04:59:00Z", "2026-07-01T05:00:00Z"],
    ["in the minute between", quiet({ from: "07:01", to: "07:00" }), "2026-07-01T05:00:30Z", null],
    ["on their day", quiet({ days: ["fri"] }), "2026-01-16T21:00:00Z", "2026-01-17T06:00:00Z"],
    ["in the morning after their day", quiet({ days: ["fri"] }), "2026-01-17T05:00:00Z", "2026-01-17T06:00:00Z"],
    ["in the evening after their day", quiet({ days: ["fri"] }), "2026-01-17T21:00:00Z", null],
    ["in the morning of their day", quiet({ days: ["fri"] }), "2026-01-16T05:00:00Z", null],
    ["over Sunday", quiet({ days: ["sun", "mon"] }), "2026-01-18T22:00:00Z", "2026-01-19T06:00:00Z"],
    ["in the night that is shorter", NIGHT, "2026-03-28T21:30:00Z", "2026-03-29T05:00:00Z"],
    ["after the clock was put forward", NIGHT, "2026-03-29T04:59:00Z", "2026-03-29T05:00:00Z"],
    ["at the end of the shorter night", NIGHT, "2026-03-29T05:00:00Z", null],
    ["in the night that is longer", NIGHT, "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"],
    ["before the longer night", NIGHT, "2026-10-24T19:59:00Z", null],
    ["at the end of the longer night", NIGHT, "2026-10-25T06:00:00Z", null],
    [
      "that begin in the hour that is left out",
      quiet({ from: "02:30" }),
      "2026-03-29T02:00:00Z",
      "2026-03-29T05:00:00Z",
    ],
    ["before an hour that is left out", quiet({ from: "02:30" }), "2026-03-29T00:59:00Z", null],
    ["that end in the hour that is left out", quiet({ to: "02:30" }), "2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z"],
    ["that are all left out", quiet({ from: "02:00", to: "03:00" }), "2026-03-29T01:00:00Z", null],
    ["of which only the end is left", quiet({ from: "02:30", to: "03:00" }), "2026-03-29T12:00:00Z", null],
    ["that begin and end in what is left out", quiet({ from: "02:15", to: "02:45" }), "2026-03-29T01:00:00Z", null],
    [
      "for a day less what is left out",
      quiet({ from: "02:45", to: "02:15" }),
      "2026-03-29T12:00:00Z",
      "2026-03-30T00:15:00Z",
    ],
    ["that end in the hour that comes twice", quiet({ to: "02:30" }), "2026-10-25T00:29:00Z", "2026-10-25T00:30:00Z"],
    ["in the second of these hours", quiet({ to: "02:30" }), "2026-10-25T01:15:00Z", null],
    [
      "that begin in the hour that comes twice",
      quiet({ from: "02:30" }),
      "2026-10-25T00:30:00Z",
      "2026-10-25T06:00:00Z",
    ],
    ["where no clock changes", quiet({ timeZone: "Asia/Kolkata" }), "2026-01-15T16:30:00Z", "2026-01-16T01:30:00Z"],
    ["in the south", quiet({ timeZone: "Australia/Lord_Howe" }), "2026-04-04T12:00:00Z", "2026-04-04T20:30:00Z"],
  ])("%s", (_what, hours, now, until) => {
    const end = quietUntil(hours, at(now));
    expect(end === null ? null : new Date(end).toISOString()).toBe(
      until === null ? null : new Date(until).toISOString(),
    );
  });

  test("are never without them", () => {
    expect([quietUntil(null, 0), quietUntil(undefined, 0)]).toEqual([null, null]);
  });

  test("end within 25 hours, after now, at a time that is not quiet, at every hour of two years", () => {
    const zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"];
    for (const timeZone of zones) {
      for (let now = at("2026-01-01T00:17:00Z"); now < at("2028-01-01T00:00:00Z"); now += 61 * 7 * MINUTE_MS) {
        const end = quietUntil(quiet({ timeZone }), now);
        if (end === null) continue;
        expect(end).toBeGreaterThan(now);
        expect(end - now).toBeLessThanOrEqual(10 * 60 * MINUTE_MS);
        expect(quietUntil(quiet({ timeZone }), end)).toBeNull();
      }
    }
  });
});

describe("the next message of a rule", () => {
  const NOON = "2026-01-15T12:00:00Z";
  test.each<[what: string, groupMinutes: number, quietHours: QuietHours | null, sent: string | null, at: string]>([
    ["is sent at once when it is the first", 5, null, null, NOON],
    ["is sent at once after the time of the group", 5, null, "2026-01-15T11:55:00Z", NOON],
    ["waits for the rest of that time", 5, null, "2026-01-15T11:58:00Z", "2026-01-15T12:03:00Z"],
    ["never waits without a group", 0, null, NOON, NOON],
    ["waits for the end of quiet hours", 5, quiet({ from: "11:00", to: "14:00" }), null, "2026-01-15T13:00:00Z"],
    [
      "waits for quiet hours that begin while it waits",
      60,
      quiet({ from: "13:30", to: "14:00" }),
      "2026-01-15T11:45:00Z",
      "2026-01-15T13:00:00Z",
    ],
  ])("%s", (_what, groupMinutes, quietHours, sent, expected) => {
    const { at: next } = nextSend({ groupMinutes, quietHours }, sent === null ? null : at(sent), at(NOON));
    expect(new Date(next).toISOString()).toBe(new Date(expected).toISOString());
  });
});

const LINE: AlertLine = { at: at("2026-01-15T12:00:00Z"), subject: "It failed", details: ["Step: a"], path: "/x" };

function rule(more: object = {}): NotificationRuleInput {
  const input = { name: "Night", on: "run_failed", receivers: ["ntr_1"], ...more };
  return notificationRuleInputSchema.parse(input);
}

describe("a rule", () => {
  const event = (more: Partial<AlertEvent> = {}): AlertEvent => ({
    on: "run_failed",
    key: "k",
    at: 100,
    workflow: { id: "wf_1", name: "one", tags: ["payments"] },
    failure: "first",
    line: LINE,
    ...more,
  });
  test.each<[what: string, rule: object, event: Partial<AlertEvent>, reported: boolean]>([
    ["reports the first failure", {}, {}, true],
    ["reports no further failure", {}, { failure: "further" }, false],
    ["reports every failure when it says so", { when: "every" }, { failure: "further" }, true],
    ["reports a recovery", {}, { failure: "recovered" }, true],
    ["reports no recovery when it says so", { recovered: false }, { failure: "recovered" }, false],
    ["reports no other event", { on: "approval_waiting" }, {}, false],
    ["reports nothing from before it began", {}, { at: 49 }, false],
    ["reports what happens when it begins", {}, { at: 50 }, true],
    ["reports a workflow with its tag", { scope: { tags: ["a", "payments"] } }, {}, true],
    ["reports no workflow without its tags", { scope: { tags: ["pay"] } }, {}, false],
    ["reports a workflow that it names", { scope: { workflowIds: ["wf_1"] } }, {}, true],
    ["reports no workflow that it does not name", { scope: { workflowIds: ["wf_2"] } }, {}, false],
    ["about all workflows reports an event without one", {}, { workflow: null }, true],
    ["about some workflows reports no event without one", { scope: { tags: ["a"] } }, { workflow: null }, false],
  ])("%s", (_what, fields, happened, reported) => {
    expect(applies({ id: "nru_1", since: 50, rule: rule(fields) }, event(happened))).toBe(reported);
  });
});

describe("a message", () => {
  const collected = (count: number): Collected => {
    let group: Collected | null = null;
    for (let n = 1; n <= count; n += 1) group = collect(group, { ...LINE, subject: `Event ${n}` });
    return group ?? { count: 0, lines: [] };
  };

  test("of one event is the event with its link", () => {
    expect(messageOf("Night", collected(1), "https://b.example")).toEqual({
      subject: "Event 1",
      text: "Step: a",
      url: "https://b.example/x",
    });
    expect(messageOf("Night", collected(1), null)).toMatchObject({ text: "Step: a", url: null });
  });

  test("of several events counts them and describes the first ones", () => {
    const { subject, text, url } = messageOf("Night", collected(1_000), "https://b.example");
    expect(subject).toBe("1000 notices: Night");
    const lines = text.split("\n");
    expect(lines).toHaveLength(1 + NOTICE_LINES_MAX);
    expect(lines.slice(0, 2)).toEqual([
      '1000 notices of the rule "Night". The first 20:',
      "2026-01-15 12:00 UTC: Event 1; Step: a https://b.example/x",
    ]);
    expect(url).toBe("https://b.example");
    const withoutOrigin = messageOf("Night", collected(2), null).text.split("\n");
    expect(withoutOrigin[0]).toBe('2 notices of the rule "Night".');
    expect(withoutOrigin[1]).toEndWith("Event 1; Step: a");
  });

  test("has a bounded size with every name and error", () => {
    const long = { ...LINE, subject: "s".repeat(10_000), details: ["d".repeat(10_000)] };
    const group = Array.from({ length: 100 }).reduce<Collected | null>((one) => collect(one, long), null);
    expect(JSON.stringify(group).length).toBeLessThan(100_000);
    const { subject, text } = messageOf("n".repeat(200), group ?? collected(0), null);
    expect(subject.length).toBeLessThanOrEqual(200);
    expect(text.length).toBeLessThan(8_000);
    const single = messageOf("n", collect(null, long), null);
    expect([single.subject.length, single.text.length]).toEqual([200, 600]);
  });
});
