import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import { testInFull } from "../support/in-full.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { createWorkflow } from "../support/management-api.ts";

/** Long tests of the designer, only in the full suite; its main journeys are in designer.test.ts. */
describe.skipIf(NO_CHROMIUM !== null)("the workflow designer", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  const node = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
  const delays = (...ids: string[]) => ({
    nodes: ids.map((id) => ({ id, type: "delay", seconds: 60 })),
    edges: ids.slice(1).map((to, index) => ({ from: ids[index], to, on: "success" })),
  });

  testInFull("a save after the session has ended keeps the changes in the browser and says so", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Session", definition: delays("one") });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.getByLabel("Name").fill("Typed before");
    await page.context().clearCookies();
    await page.keyboard.press("Control+s");
    await page.getByText(/^Sign in again. This browser keeps your changes/u).waitFor();
    const kept = "Object.values(localStorage).some((text) => text.includes('Typed before'))";
    expect(await page.evaluate<boolean>(kept)).toBe(true);
    expect(console.complaints()).toEqual([]);
  });

  testInFull("on a phone the form is a drawer over the canvas, and the page does not scroll sideways", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Small", definition: delays("one", "two") });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit`, width: NARROW, height: 800 });
    await node(page, "one").click();
    const drawer = page.getByRole("dialog", { name: "Edit" });
    await drawer.getByRole("textbox", { name: "Name" }).fill("The first");
    await page.keyboard.press("Escape");
    await isNamed(node(page, "one"), /^The first/u);
    await page.getByRole("button", { name: "Workflow properties" }).click();
    await drawer.getByLabel("Description").fill("What it fixes");
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});

async function isNamed(element: Locator, name: RegExp): Promise<void> {
  await eventually(`a node is named ${name}`, async () => name.test((await element.getAttribute("aria-label")) ?? ""));
}
