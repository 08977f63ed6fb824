import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { limitGroupSchema } from "../../schema/contract/limit-group.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { call, createWorkflow, makeWebhookKey, pageOf } from "../support/management-api.ts";
import { getWorkflow } from "../support/schedules.ts";

/** Types over the text of a field, key by key. */
async function retype(field: Locator, text: string) {
  await field.press("ControlOrMeta+a");
  await field.press("Backspace");
  await field.pressSequentially(text);
}

describe.skipIf(NO_CHROMIUM !== null)("fields of forms", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("a number is exactly what is typed, and a wrong one shows its bounds and is not saved", async () => {
    const page = await console.pageAs("editor", { at: "/settings/limits" });
    await page.getByRole("button", { name: "New limit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Restart");
    const runs = dialog.getByRole("textbox", { name: "Runs" });
    const create = dialog.getByRole("button", { name: "Create" });
    for (const wrong of ["0", "1.5", "5000", "abc"]) {
      await retype(runs, wrong);
      await dialog.getByText("Must be a whole number from 1 to 1,000.").waitFor();
      await runs.press("Tab");
      expect(await runs.inputValue()).toBe(wrong);
    }
    await retype(runs, "");
    await dialog.getByText("Required.").waitFor();
    await create.click();
    expect(await runs.inputValue()).toBe("");
    await runs.pressSequentially("2");
    expect(await runs.inputValue()).toBe("2");

    const period = dialog.getByRole("textbox", { name: "Period" });
    await retype(period, "0");
    await dialog.getByText("Must be 1 minute to 30 days.").waitFor();
    await retype(period, "1.5");
    await dialog.getByText("Must be a whole number.").waitFor();
    await create.click();
    expect(await period.inputValue()).toBe("1.5");
    await retype(period, "2");
    await create.click();
    await page.getByText("2 runs in 2 hours").waitFor();
    const { items } = await pageOf(await call(console.bellhop, "GET", "/limits"), limitGroupSchema);
    expect(items).toHaveLength(1);
  });

  test("a wrong number of a rule, of the webhook and of the designer shows its bounds and is not saved", async () => {
    const page = await console.pageAs("admin", { at: "/settings/notifications" });
    await page.getByRole("button", { name: "New rule" }).click();
    await retype(page.getByRole("textbox", { name: "Collect further events" }), "abc");
    await page.getByText("Must be a whole number from 0 to 1,440.").waitFor();

    const { id } = await createWorkflow(console.bellhop, { trigger: { type: "webhook" } });
    await makeWebhookKey(console.bellhop, id);
    const read = () => getWorkflow(console.bellhop, id);
    await page.goto(`/workflows/${id}?tab=webhook`);
    const rate = page.getByRole("textbox", { name: "Requests a minute" });
    await retype(rate, "601");
    await page.getByText("Must be a whole number from 1 to 600.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    expect(await rate.inputValue()).toBe("601");
    expect((await read()).webhook?.requestsPerMinute).toBe(60);

    await page.goto(`/workflows/${id}/edit`);
    const kept = page.getByRole("textbox", { name: /^Keep runs/u });
    for (const wrong of ["0", "5000", "abc"]) {
      await retype(kept, wrong);
      await page.getByText("Must be a whole number from 1 to 3,650.").waitFor();
      await kept.press("Tab");
      expect(await kept.inputValue()).toBe(wrong);
    }
    await page.getByText("Not saved", { exact: true }).waitFor();
    expect((await read()).retention).toBeNull();
  });

  test("an error is shown until its field is changed, and an empty field is required", async () => {
    const page = await console.pageAs("admin", { at: "/settings/notifications" });
    const dialog = page.getByRole("dialog");
    const create = dialog.getByRole("button", { name: "Create" });
    await page.getByRole("button", { name: "New receiver" }).click();
    await create.click();
    await dialog.getByText("Required.").nth(1).waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Team");
    expect(await dialog.getByText("Required.").count()).toBe(1);
    await dialog.getByRole("textbox", { name: "Email addresses" }).fill("abc");
    expect(await dialog.getByText("Required.").count()).toBe(0);
    await create.click();
    await dialog.locator("[aria-invalid=true]").waitFor();
    await dialog.getByRole("combobox", { name: "Type" }).selectOption("slack");
    expect(await dialog.locator("[aria-invalid=true]").count()).toBe(0);

    await page.goto("/agents");
    await page.getByRole("button", { name: "New agent" }).first().click();
    await create.click();
    await dialog.getByText("Required.").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("web-1");
    await dialog.getByRole("combobox", { name: "Pool" }).fill("web pool*");
    await create.click();
    await dialog.getByText("Must be 1 to 63 letters").waitFor();
    expect(await dialog.getByText(/must be 1 to 63/iu).count()).toBe(1);
    await dialog.getByRole("combobox", { name: "Pool" }).fill("web");
    expect(await dialog.getByText(/must be 1 to 63/iu).count()).toBe(0);
  });

  test("the times of a window and of quiet hours are judged in the words of their form", async () => {
    const page = await console.pageAs("admin", { at: "/maintenance" });
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "New window" }).first().click();
    const ends = dialog.getByLabel("Ends");
    await ends.fill("2020-01-01T00:00");
    await dialog.getByText("Must be after the start.").waitFor();
    await ends.fill("2100-01-01T00:00");
    await dialog.getByText("Must be at most 90 days after the start.").waitFor();
    await ends.fill("");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Required.").nth(1).waitFor();

    await page.goto("/settings/notifications");
    await page.getByRole("button", { name: "New rule" }).click();
    await dialog.getByRole("switch", { name: "Quiet hours" }).click();
    await dialog.getByLabel("Until").fill("22:00");
    await dialog.getByText("Must be another time than From.").waitFor();
  });
});
