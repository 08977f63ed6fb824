import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { call } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("the pause in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("an operator pauses from the palette with a reason, every page shows it, and an operator resumes", async () => {
    const page = await console.pageAs("operator", { at: "/incidents" });
    await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search and commands" }).fill("pause");
    await page.getByRole("option", { name: /^Pause all runs/u }).click();
    const dialog = page.getByRole("dialog", { name: "Pause all runs?" });
    await dialog.getByRole("button", { name: "Pause all runs" }).click();
    await dialog.getByText("Required.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(new URL(page.url()).pathname).toBe("/incidents");
    await dialog.getByRole("textbox", { name: "Reason" }).fill("Failover of the storage cluster");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    const bar = page.getByRole("region", { name: "Pause", exact: true });
    await bar.getByText("All runs are paused").waitFor();
    await bar.getByText(/^By operator@example\.com, .*: Failover of the storage cluster$/u).waitFor();
    expect(await axeProblems(page)).toEqual([]);

    const viewer = await console.pageAs("viewer", { width: NARROW, dark: true });
    const shown = viewer.getByRole("region", { name: "Pause", exact: true });
    await shown.getByText("All runs are paused").waitFor();
    await viewer.getByText("Actions and notification steps wait until a person resumes them.").waitFor();
    expect(await viewer.getByText("Nothing needs your attention.").count()).toBe(0);
    expect(await shown.getByRole("button").count()).toBe(0);
    expect(await axeProblems(viewer)).toEqual([]);
    expect(await viewer.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);

    // Nothing on the page moves.
    const heading = page.getByRole("heading", { level: 1, name: "Incidents" });
    const place = await heading.boundingBox();
    await bar.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resume all runs" }).click();
    await bar.waitFor({ state: "detached" });
    expect(await heading.boundingBox()).toEqual(place);
    expect(console.complaints()).toEqual([]);
    await page.close();
    await viewer.close();
  });

  test("the account's menu offers it only while runs go on, to those who may", async () => {
    const viewer = await console.pageAs("viewer", { at: "/agents?open=pause" });
    await viewer.getByRole("button", { name: /^Account of/u }).click();
    await viewer.getByRole("menuitem", { name: "Sign out" }).waitFor();
    expect(await viewer.getByRole("menuitem", { name: "Pause all runs" }).count()).toBe(0);
    expect(await viewer.getByRole("dialog").count()).toBe(0);
    const page = await console.pageAs("operator", { at: "/agents" });
    await page.getByRole("button", { name: /^Account of/u }).click();
    await page.getByRole("menuitem", { name: "Pause all runs" }).click();
    const dialog = page.getByRole("dialog", { name: "Pause all runs?" });
    await dialog.getByRole("textbox", { name: "Reason" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await call(console.bellhop, "PUT", "/pause", { reason: "x".repeat(500) });
    await page.reload();
    await page.getByRole("region", { name: "Pause", exact: true }).waitFor();
    await page.getByRole("button", { name: /^Account of/u }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Pause all runs" }).count()).toBe(0);
    expect(console.complaints()).toEqual([]);
    await viewer.close();
    await page.close();
  });
});
