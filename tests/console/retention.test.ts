import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { createWorkflow } from "../support/management-api.ts";
import { DAY_MS, oldExecution, write } from "../support/old-records.ts";
import { getWorkflow } from "../support/schedules.ts";

describe.skipIf(NO_CHROMIUM !== null)("retention in the console", () => {
  let console: ConsoleUnderTest;
  let workflowId: string;
  beforeAll(async () => {
    console = await startConsole();
    workflowId = (await createWorkflow(console.bellhop, { name: "Restart checkout" })).id;
    const days = [20, 40, 50];
    await write(
      console.bellhop,
      days.flatMap((age) => oldExecution({ id: `exe_${age}`, workflowId, finishedAt: Date.now() - age * DAY_MS })),
    );
    await console.bellhop.worker.tick();
  });
  afterAll(() => console.stop());

  const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

  test("an administrator sees what a shorter period deletes, changes it, and takes it back while it is pending", async () => {
    const page = await console.pageAs("admin", { at: "/settings/retention" });
    await row(page, "Executions").getByText("90 days, failed 180 days").waitFor();
    expect(await row(page, "Executions").getByRole("cell").allTextContents()).toEqual(
      expect.arrayContaining(["Executions", "3", "0"]),
    );
    expect(await axeProblems(page)).toEqual([]);

    await page.getByRole("button", { name: "Change periods" }).click();
    const dialog = page.getByRole("dialog", { name: "Change periods" });
    const executions = dialog.getByRole("textbox", { name: "Executions (days)", exact: true });
    await executions.fill("0");
    await dialog.getByRole("button", { name: "Change periods" }).click();
    await dialog.getByText(/^Must be /u).waitFor();
    await executions.fill("30");
    await dialog.getByText(/These periods then delete 2 executions\. Deleted records cannot be restored\./u).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Change periods" }).click();
    await dialog.waitFor({ state: "detached" });

    const pending = page.getByRole("alert").filter({ hasText: "Shorter periods are pending" });
    await pending.getByText("Executions: 90 days, then 30 days").waitFor();
    await row(page, "Executions").getByText("30 days, failed 180 days").waitFor();
    await row(page, "Executions").getByRole("cell", { name: "2", exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);

    const viewer = await console.pageAs("viewer", { at: "/settings/retention", width: NARROW, dark: true });
    await viewer.getByText("Executions: 90 days, then 30 days").waitFor();
    expect(await viewer.getByRole("button", { name: /periods/u }).count()).toBe(0);
    expect(await axeProblems(viewer)).toEqual([]);
    expect(await viewer.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);

    await pending.getByRole("button", { name: "Keep the longer periods" }).click();
    await pending.waitFor({ state: "detached" });
    await row(page, "Executions").getByText("90 days, failed 180 days").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("an editor gives a workflow its own period, and its page says until when the former one applies and what goes then", async () => {
    const { bellhop } = console;
    const page = await console.pageAs("editor", { at: `/workflows/${workflowId}/edit` });
    await page.getByRole("textbox", { name: "Keep runs (days)" }).fill("45");
    await eventually("the draft is saved", async () => {
      return (await getWorkflow(bellhop, workflowId)).retention?.executionDays === 45 || null;
    });
    await page.goto(`/workflows/${workflowId}`);
    await page.getByText(/^45 days/u).waitFor();
    await page.getByText(/: 90 days and failed ones 180 days\. Then 1 execution will be deleted\./u).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("who deletes a workflow chooses what becomes of its executions", async () => {
    const { bellhop } = console;
    const page = await console.pageAs("editor");
    for (const [choice, keeps] of [
      [null, 1],
      ["Delete after 24 hours", 0],
    ] as const) {
      const { id } = await createWorkflow(bellhop, { name: "To delete" });
      await page.goto(`/workflows/${id}`);
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete “To delete”?" });
      if (choice !== null) await dialog.getByRole("radio", { name: choice }).click();
      expect(await axeProblems(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Delete workflow" }).click();
      await page.waitForURL("**/workflows");
      const [deleted] = await query(bellhop, "select keeps_executions from deleted_workflows where id = ?", [id]);
      expect(deleted?.["keeps_executions"]).toBe(keeps);
    }
    expect(console.complaints()).toEqual([]);
  });
});
