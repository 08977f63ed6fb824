import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, WIDE, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { DELAY_DEFINITION, call, createWorkflow, verb } from "../support/management-api.ts";
import { SUCCEEDS, createSchedule } from "../support/schedules.ts";
import { FULL } from "../support/full.ts";

if (!FULL) console.log("skipped  every workflow page on a desktop and on a phone: BELLHOP_TEST_FULL=1 runs them");

describe.skipIf(!FULL || NO_CHROMIUM !== null)("the pages of workflows", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("are accessible and fit on a desktop and on a phone, light and dark, without horizontal scrolling", async () => {
    const { bellhop } = console;
    const long = "Restart the web server when the load balancer reports that it no longer answers requests";
    const { id } = await createWorkflow(bellhop, {
      name: long,
      description: long.repeat(4),
      definition: DELAY_DEFINITION,
    });
    await verb(bellhop, id, "publish");
    await call(bellhop, "POST", `/workflows/${id}/webhook-key`);
    await call(bellhop, "PUT", `/workflows/${id}`, {
      name: long,
      trigger: { type: "webhook" },
      definition: SUCCEEDS,
    });
    const scheduled = await createSchedule(bellhop);
    const tabs = ["overview", "webhook", "versions", "executions"].map((tab) => `/workflows/${id}?tab=${tab}`);
    const looks = [
      { width: WIDE, dark: false },
      { width: NARROW, dark: true },
    ];
    for (const { width, dark } of looks) {
      const look = await console.pageAs("admin", { at: null, width, dark });
      for (const at of ["/workflows", `/workflows/${scheduled.id}?tab=schedule`, ...tabs]) {
        await look.goto(at);
        await look.getByRole("heading", { level: 1 }).waitFor();
        await eventually(`${at} to be loaded`, async () => (await look.getByLabel(/^Loading/u).count()) === 0);
        expect({ at, problems: await axeProblems(look) }).toEqual({ at, problems: [] });
        expect(await look.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      }
      await look.close();
    }
    expect(console.complaints()).toEqual([]);
  });

  test("load all workflows of several API pages, and show a hundred at a time", async () => {
    const bodies = Array.from({ length: 205 }, (_, index) => `Of many ${index}`);
    for (const name of bodies) await createWorkflow(console.bellhop, { name, definition: SUCCEEDS });
    const page = await console.pageAs("viewer", { at: null });
    await page.goto("/workflows");
    await page.getByLabel("Search").fill("of many");
    await page.getByText(/^205 of \d+ workflows$/u).waitFor();
    expect(await page.getByRole("row").count()).toBe(101);
    await page.getByRole("button", { name: "Show 100 more" }).click();
    await page.getByRole("button", { name: "Show 5 more" }).waitFor();
  });
});
