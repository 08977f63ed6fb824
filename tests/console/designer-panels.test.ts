import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import {
  CANVAS_MIN_PX,
  FOLDED_PX,
  LIMITS,
  readPanels,
  shownPanel,
} from "../../console/views/designer/panels/widths.ts";
import type { Panels } from "../../console/views/designer/panels/widths.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { createWorkflow } from "../support/management-api.ts";

const USUAL: Panels = { widths: {}, folded: { palette: false, side: false } };

describe("the width of a panel", () => {
  test.each([
    ["is the usual one before a choice", undefined, 1_200, LIMITS.form.usual],
    ["is the chosen one", 500, 1_200, 500],
    ["is at least the least one", 3, 1_200, LIMITS.form.min],
    ["is at most the largest one", 5_000, 3_000, LIMITS.form.max],
    ["leaves the canvas its least width", 800, 1_000, 1_000 - 232 - CANVAS_MIN_PX],
    ["is the least one where there is no room", 800, 400, LIMITS.form.min],
  ])("%s", (_, form, total, expected) => {
    const panels = { ...USUAL, widths: form === undefined ? {} : { form } };
    expect(shownPanel("form", panels, total, 232).width).toBe(expected);
  });

  test.each([
    [null],
    ["x"],
    [[]],
    [{ widths: { palette: "wide", form: null }, folded: { palette: 1 } }],
    [{ widths: 3, folded: null }],
  ])("stored as %j is the usual one", (stored) => {
    const panels = readPanels(stored);
    expect(panels.folded).toEqual(USUAL.folded);
    expect(shownPanel("palette", panels, 1_200, 376).width).toBe(LIMITS.palette.usual);
  });
});

describe.skipIf(NO_CHROMIUM !== null)("the panels of the designer", () => {
  let console: ConsoleUnderTest;
  let at = "";
  beforeAll(async () => {
    console = await startConsole();
    const nodes = [1, 2, 3].map((number) => ({ id: `wait-${number}`, type: "delay", seconds: 60 }));
    const edges = [
      { from: "wait-1", to: "wait-2", on: "success" },
      { from: "wait-2", to: "wait-3", on: "success" },
    ];
    const { id } = await createWorkflow(console.bellhop, { definition: { nodes, edges } });
    at = `/workflows/${id}/edit`;
  });
  afterAll(() => console.stop());

  const panel = (page: Page, name: string): Locator => page.getByRole("complementary", { name });
  const divider = (page: Page, name: string): Locator => page.getByRole("separator", { name });
  const widthOf = async (element: Locator) => Math.round((await element.boundingBox())?.width ?? 0);
  const middleOf = async (element: Locator) => {
    const box = await element.boundingBox();
    if (box === null) throw new Error("the element is not shown");
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const hasFocus = async (element: Locator) => (await element.and(element.page().locator(":focus")).count()) === 1;
  const canvas = (page: Page): Locator => page.locator(".react-flow");

  test("resize by pointer and by keys within their bounds, and a double click restores the usual width", async () => {
    const page = await console.pageAs("editor", { at });
    const [palette, details] = [panel(page, "Palette"), panel(page, "Details")];
    const [left, right] = [divider(page, "Resize the palette"), divider(page, "Resize the details")];
    await right.waitFor();
    const start = await middleOf(right);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x - 60, start.y);
    await page.mouse.move(start.x - 100, start.y);
    await page.mouse.up();
    expect(await widthOf(details)).toBe(476);
    expect(await right.getAttribute("aria-valuenow")).toBe("476");

    await right.focus();
    for (const key of ["ArrowRight", "Shift+ArrowLeft"]) await page.keyboard.press(key);
    expect(await widthOf(details)).toBe(476 - 16 + 64);
    await page.keyboard.press("End");
    expect(await right.getAttribute("aria-valuenow")).toBe(await right.getAttribute("aria-valuemax"));
    await left.focus();
    await page.keyboard.press("End");
    expect(await widthOf(canvas(page))).toBeGreaterThanOrEqual(CANVAS_MIN_PX);
    await page.keyboard.press("Home");
    expect(await widthOf(palette)).toBe(LIMITS.palette.min);
    expect(await axeProblems(page)).toEqual([]);

    // Kept for this person, after a reload, too.
    await page.reload();
    await right.waitFor();
    expect(await widthOf(palette)).toBe(LIMITS.palette.min);
    await left.dblclick();
    expect(await widthOf(palette)).toBe(LIMITS.palette.usual);
    await right.dblclick();
    expect(await widthOf(details)).toBe(LIMITS.form.usual);
    expect(console.complaints()).toEqual([]);
  });

  test("fold and unfold with the focus on their button, and stay folded for this person", async () => {
    const page = await console.pageAs("editor", { at });
    const before = await widthOf(canvas(page));
    await page.getByRole("button", { name: "Hide the palette" }).click();
    expect(await hasFocus(page.getByRole("button", { name: "Show the palette" }))).toBe(true);
    await divider(page, "Resize the details").focus();
    await page.keyboard.press("Enter");
    expect(await hasFocus(page.getByRole("button", { name: "Show the details" }))).toBe(true);
    expect(await widthOf(panel(page, "Details"))).toBe(FOLDED_PX);
    expect(await widthOf(canvas(page))).toBe(before + LIMITS.palette.usual + LIMITS.form.usual - 2 * FOLDED_PX);
    expect(await axeProblems(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Show the details" }).waitFor();

    // All steps fit into the wider canvas.
    await page.getByRole("button", { name: "Fit View" }).click();
    const frame = await canvas(page).boundingBox();
    await eventually("the graph is in the middle of the canvas", async () => {
      const { x } = await middleOf(page.locator('.react-flow__node[data-id="wait-2"]'));
      return Math.abs(x - ((frame?.x ?? 0) + (frame?.width ?? 0) / 2)) < 150;
    });

    // The form opens for the step that a person wants to edit, and does not cover the step.
    await page.locator('.react-flow__node[data-id="wait-3"]').dblclick();
    await panel(page, "Details").getByRole("textbox", { name: "Id" }).waitFor();
    await eventually("the step is beside the form", async () => {
      const node = await page.locator('.react-flow__node[data-id="wait-3"]').boundingBox();
      const room = await canvas(page).boundingBox();
      return node !== null && room !== null && node.x + node.width <= room.x + room.width;
    });
    expect(console.complaints()).toEqual([]);
  });
});
