import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { axeProblems } from "../support/axe.ts";
import { eventually } from "../support/eventually.ts";
import { createWorkflow } from "../support/management-api.ts";
import { getWorkflow } from "../support/schedules.ts";

describe.skipIf(NO_CHROMIUM !== null)("tags of workflows", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("are added in the designer, shown in the list and filter it", async () => {
    const { bellhop } = console;
    const { id } = await createWorkflow(bellhop, { name: "Restart checkout" });
    await createWorkflow(bellhop, { name: "Clean up", tags: ["storage"] });

    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    const tags = page.getByRole("combobox", { name: "Tags" });
    await tags.fill("Payments");
    await tags.press("Enter");
    await tags.fill("night");
    await tags.press("Enter");
    await eventually(
      "the draft is saved",
      async () => (await getWorkflow(bellhop, id)).tags.join() === "payments,night",
    );

    await page.goto("/workflows");
    await page.getByRole("link", { name: "payments", exact: true }).click();
    await page.getByText("1 of 2 workflows").waitFor();
    expect(new URL(page.url()).search).toBe("?tag=payments");
    expect(await axeProblems(page)).toEqual([]);
    await page.getByLabel("Tag", { exact: true }).selectOption("storage");
    await page.getByRole("link", { name: "Clean up" }).waitFor();
    await page.setViewportSize({ width: NARROW, height: 800 });
    await page.getByRole("link", { name: "storage", exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
