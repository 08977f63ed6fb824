import { describe, expect, test } from "bun:test";
import { nextRuns } from "../../console/workflow-forms/cron-next.ts";
import { changeKind, expressionOf, presetOf } from "../../console/workflow-forms/cron-preset.ts";
import type { CronPreset } from "../../console/workflow-forms/cron-preset.ts";
import { cronFieldsOf, cronSentence } from "../../console/workflow-forms/cron-labels.ts";
import { CRON_PRESETS } from "../../schema/contract/cron.ts";

describe("a schedule in words", () => {
  test("is the sentence of what lists say in words", () => {
    expect(cronSentence("0 9 * * 1-5")).toBe("At 09:00 on Monday to Friday.");
  });

  test("has none while it cannot be read, and says which field is wrong", () => {
    expect(cronSentence("61 9 * * 7")).toBeNull();
    const fields = cronFieldsOf("61 9 * * 7");
    expect(fields.map(({ text }) => text)).toEqual(["61", "9", "*", "*", "7"]);
    expect(fields.map(({ problem }) => problem !== null)).toEqual([true, false, false, false, true]);
    expect(cronFieldsOf("0 9").map(({ text }) => text)).toEqual(["0", "9", "", "", ""]);
  });
});

describe("a schedule as people say it", () => {
  test.each([
    [{ kind: "minutes", every: 5 }, "*/5 * * * *"],
    [{ kind: "minutes", every: 1 }, "* * * * *"],
    [{ kind: "hourly", minute: 20 }, "20 * * * *"],
    [{ kind: "daily", hour: 9, minute: 5 }, "5 9 * * *"],
    [{ kind: "weekdays", hour: 9, minute: 0 }, "0 9 * * 1-5"],
    [{ kind: "weekly", day: 0, hour: 23, minute: 59 }, "59 23 * * 0"],
    [{ kind: "monthly", day: 31, hour: 0, minute: 0 }, "0 0 31 * *"],
  ] satisfies [Exclude<CronPreset, { kind: "own" }>, string][])("%j is %s, and back", (preset, expression) => {
    expect(expressionOf(preset)).toBe(expression);
    expect(presetOf(expression)).toEqual(preset);
  });

  test.each(["*/7 * * * *", "0 0 1 * 1", "0 9 * 3 *", "0 9,17 * * *", "0 9", "nonsense", "0 9 * * 1-5 *", ""])(
    "%p is one of its own",
    (expression) => expect(presetOf(expression)).toEqual({ kind: "own" }),
  );

  test("keeps the time of day when its kind changes", () => {
    expect(changeKind({ kind: "daily", hour: 17, minute: 30 }, "weekly")).toEqual({
      kind: "weekly",
      day: 1,
      hour: 17,
      minute: 30,
    });
  });

  test.each(CRON_PRESETS)("says $name in words", ({ expression }) => {
    expect(cronSentence(expression)).not.toBeNull();
    expect(presetOf(expression).kind).not.toBe("own");
  });
});

describe("the next times of a schedule", () => {
  const iso = (runs: readonly number[]) => runs.map((run) => new Date(run).toISOString());

  test("follow daylight saving in its own zone", () => {
    const after = Date.parse("2026-03-27T12:00:00Z");
    expect(iso(nextRuns({ expression: "0 9 * * *", timezone: "Europe/Berlin" }, after, 3))).toEqual([
      "2026-03-28T08:00:00.000Z",
      "2026-03-29T07:00:00.000Z",
      "2026-03-30T07:00:00.000Z",
    ]);
  });

  test("are none for one that cannot be read", () => {
    expect(nextRuns({ expression: "0 9 * *" }, 0, 5)).toEqual([]);
    expect(nextRuns({ expression: "0 9 * * *", timezone: "Berlin" }, 0, 5)).toEqual([]);
  });
});
