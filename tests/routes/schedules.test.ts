import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CRON_PRESETS, schedulePreviewSchema } from "../../schema/contract/cron.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const save = (schedule: object) =>
  call(bellhop, "POST", "/workflows", {
    name: "a workflow",
    trigger: { type: "cron", ...schedule },
    definition: DELAY_DEFINITION,
  });
const preview = (query: Record<string, string>) =>
  call(bellhop, "GET", `/schedules/preview?${new URLSearchParams(query)}`);

describe("saving a schedule", () => {
  test.each(CRON_PRESETS.map(({ name, expression }): [string, string] => [name, expression]))(
    "accepts the preset %s, with a time zone",
    async (_name, expression) => {
      const trigger = { type: "cron" as const, expression, timezone: "Australia/Lord_Howe" };
      expect((await createWorkflow(bellhop, { trigger })).trigger).toEqual(trigger);
    },
  );

  test("that is invalid is refused, with the field and the position of every problem", async () => {
    const problem = await problemOf(
      await save({ expression: "60 0 31 2 7", timezone: "Berlin" }),
      400,
      "invalid_request",
    );
    expect(problem.errors).toEqual([
      { path: "trigger.expression", message: 'minute, position 1: "60" must be a number from 0 to 59' },
      { path: "trigger.expression", message: 'day of week, position 11: "7" has 7 in it, and Sunday is 0; write 0' },
      { path: "trigger.timezone", message: '"Berlin" is not an IANA time zone; write Europe/Berlin' },
    ]);
  });

  test.each([
    [{ expression: "@daily" }],
    [{ expression: "0 0 * * * *" }],
    [{ expression: "0 0 31 2 *" }],
    [{ expression: "" }],
    [{}],
    [{ expression: "* * * * *".padEnd(300) }],
  ])("of the trigger %p is refused", async (schedule) => {
    expect(await errorPathsOf(await save(schedule))).toEqual(["trigger.expression"]);
  });

  test("with an offset or an empty string as time zone is refused", async () => {
    for (const timezone of ["+02:00", ""]) {
      expect(await errorPathsOf(await save({ expression: "* * * * *", timezone }))).toEqual(["trigger.timezone"]);
    }
  });
});

describe("previewing a schedule", () => {
  test("shows its next runs in its zone, daylight saving included", async () => {
    const answer = await preview({
      expression: "30 2 * * *",
      timezone: "Europe/Berlin",
      after: "2026-03-28T00:00:00+01:00",
      count: "3",
    });
    expect(await dataOf(answer, 200, schedulePreviewSchema)).toEqual({
      expression: "30 2 * * *",
      timezone: "Europe/Berlin",
      nextRuns: ["2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"],
    });
  });

  test("begins now, with five runs in UTC, by default", async () => {
    const before = Date.now();
    const shown = await dataOf(await preview({ expression: "* * * * *" }), 200, schedulePreviewSchema);
    expect(shown.timezone).toBe("UTC");
    expect(shown.nextRuns).toHaveLength(5);
    expect(Date.parse(shown.nextRuns[0] ?? "")).toBeGreaterThan(before);
  });

  test.each([
    [{ expression: "60 * * * *", timezone: "Mars/Phobos" }, ["expression", "timezone"]],
    [{ expression: "* * * * *", count: "51" }, ["count"]],
    [{ expression: "* * * * *", after: "yesterday" }, ["after"]],
    [{ timezone: "UTC" }, ["expression"]],
    [{ expression: "* * * * *", zone: "UTC" }, ["zone"]],
  ])("with %p is refused", async (query, paths) => {
    expect(await errorPathsOf(await preview(query))).toEqual(paths);
  });

  test("accepts no other method", async () => {
    await problemOf(await call(bellhop, "POST", "/schedules/preview", {}), 405, "method_not_allowed");
  });
});
