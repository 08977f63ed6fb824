import { describe, expect, test } from "bun:test";
import { nextRuns } from "../../console/workflow-forms/cron-next.ts";
import { changeKind, expressionOf, presetOf } from "../../console/workflow-forms/cron-preset.ts";
import type { CronPreset } from "../../console/workflow-forms/cron-preset.ts";
import { cronFieldsOf, cronSentence } from "../../console/workflow-forms/cron-labels.ts";
import { CRON_PRESETS } from "../../schema/contract/cron.ts";

describe("the label of a schedule", () => {
  test.each([
    ["0 9 * * 1-5", "At 09:00, Monday to Friday."],
    ["0 0 13 * 1-5", "At 00:00 on the 13th and on every day from Monday to Friday."],
    ["15 9-17 * * *", "Every hour from 09:15 to 17:15."],
    ["5,40 9-17 * * *", "At minutes 5 and 40, from 09:00 to 17:59."],
  ])("for %p is the sentence %p", (expression, sentence) => expect(cronSentence(expression)).toBe(sentence));

  test("is null for an invalid expression, whose wrong fields have problems", () => {
    expect(cronSentence("61 9 * * 7")).toBeNull();
    const fields = cronFieldsOf("61 9 * * 7");
    expect(fields.map(({ written }) => written)).toEqual(["61", "9", "*", "*", "7"]);
    expect(fields.map(({ problem }) => problem !== null)).toEqual([true, false, false, false, true]);
    expect(cronFieldsOf("0 9").map(({ written }) => written)).toEqual(["0", "9", "", "", ""]);
  });
});

describe("a schedule preset", () => {
  test.each([
    [{ kind: "minutes", every: 5 }, "*/5 * * * *"],
    [{ kind: "minutes", every: 1 }, "* * * * *"],
    [{ kind: "hourly", minute: 20 }, "20 * * * *"],
    [{ kind: "daily", hour: 9, minute: 5 }, "5 9 * * *"],
    [{ kind: "weekdays", hour: 9, minute: 0 }, "0 9 * * 1-5"],
    [{ kind: "weekly", day: 0, hour: 23, minute: 59 }, "59 23 * * 0"],
    [{ kind: "monthly", day: 31, hour: 0, minute: 0 }, "0 0 31 * *"],
  ] satisfies [Exclude<CronPreset, { kind: "own" }>, string][])(
    "%j becomes %s and is read back",
    (preset, expression) => {
      expect(expressionOf(preset)).toBe(expression);
      expect(presetOf(expression)).toEqual(preset);
    },
  );

  test.each(["*/7 * * * *", "0 0 1 * 1", "0 9 * 3 *", "0 9,17 * * *", "0 9", "nonsense", "0 9 * * 1-5 *", ""])(
    "is `own` for %p",
    (expression) => expect(presetOf(expression)).toEqual({ kind: "own" }),
  );

  test("keeps the time of day when the kind changes", () => {
    expect(changeKind({ kind: "daily", hour: 17, minute: 30 }, "weekly")).toEqual({
      kind: "weekly",
      day: 1,
      hour: 17,
      minute: 30,
    });
  });

  test.each(CRON_PRESETS)("$name has a sentence and a kind", ({ expression }) => {
    expect(cronSentence(expression)).not.toBeNull();
    expect(presetOf(expression).kind).not.toBe("own");
  });
});

describe("the next times of a schedule", () => {
  const iso = (runs: readonly number[]) => runs.map((run) => new Date(run).toISOString());

  test("follow daylight saving time in the schedule's time zone", () => {
    const after = Date.parse("2026-03-27T12:00:00Z");
    expect(iso(nextRuns({ expression: "0 9 * * *", timezone: "Europe/Berlin" }, after, 3))).toEqual([
      "2026-03-28T08:00:00.000Z",
      "2026-03-29T07:00:00.000Z",
      "2026-03-30T07:00:00.000Z",
    ]);
  });

  test("are empty for an invalid schedule", () => {
    expect(nextRuns({ expression: "0 9 * *" }, 0, 5)).toEqual([]);
    expect(nextRuns({ expression: "0 9 * * *", timezone: "Berlin" }, 0, 5)).toEqual([]);
  });
});
