import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { createWorkflow } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("a drag on the designer's canvas", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("is cancelled by Escape: the step goes back and nothing changes, and the next drag moves it", async () => {
    const nodes = ["first", "second"].map((id) => ({ id, type: "delay", seconds: 60 }));
    const definition = { nodes, edges: [{ from: "first", to: "second", on: "success" }] };
    const { id } = await createWorkflow(console.bellhop, { definition });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    const second = page.locator('.react-flow__node[data-id="second"]');
    const undo = page.getByRole("button", { name: "Undo", exact: true });
    const at = async () => {
      const { x = 0, y = 0 } = (await second.boundingBox()) ?? {};
      return { x: Math.round(x), y: Math.round(y) };
    };
    await second.click();
    const before = await at();
    const [x, y] = [before.x + 60, before.y + 20];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 40, { steps: 4 });
    await eventually("the step to follow", async () => (await at()).x > before.x);
    await page.keyboard.press("Escape");
    await eventually("the step to go back", async () => (await at()).x === before.x);
    await page.mouse.move(x + 120, y + 60, { steps: 4 });
    await page.mouse.up();
    expect(await at()).toEqual(before);
    expect(await undo.isDisabled()).toBe(true);
    expect(await second.getAttribute("class")).toContain("selected");

    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 40, { steps: 4 });
    await page.mouse.up();
    await eventually("the step to move", async () => (await at()).x > before.x);
    expect(await undo.isDisabled()).toBe(false);
    expect(console.complaints()).toEqual([]);
  });
});
