import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { axeProblems } from "../support/axe.ts";
import { eventually } from "../support/eventually.ts";
import { createConnection, createWorkflow } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("the form of a step", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
    await createConnection(console.bellhop, { name: "Web servers" });
    await createConnection(console.bellhop, { name: "Databases" });
  });
  afterAll(() => console.stop());

  const node = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
  const palette = (page: Page, name: RegExp): Locator =>
    page.getByRole("complementary", { name: "Palette" }).getByRole("button", { name });
  const open = async (definition: object): Promise<Page> => {
    const { id } = await createWorkflow(console.bellhop, { definition });
    return console.pageAs("editor", { at: `/workflows/${id}/edit` });
  };
  const delay = (id: string, more: object = {}) => ({ id, type: "delay", seconds: 60, ...more });

  test("the first click and the first drag after the id was edited work", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    const id = page.getByRole("textbox", { name: "Id" });
    await palette(page, /^Bash script/u).click();
    await node(page, "script-1").waitFor();

    await id.fill("restart");
    await page.getByRole("combobox", { name: /^Connection/u }).click();
    await page.getByRole("option", { name: /^Web servers/u }).click();
    await node(page, "restart").waitFor();

    await id.fill("restart-now");
    const canvas = page.locator(".react-flow__pane");
    await palette(page, /^Delay/u).dragTo(canvas, { targetPosition: { x: 80, y: 500 } });
    await node(page, "wait-1").waitFor();
    await node(page, "restart-now").waitFor();

    // The id is that of the step that is shown.
    await node(page, "restart-now").click();
    expect(await id.inputValue()).toBe("restart-now");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await node(page, "restart").click();
    expect(await id.inputValue()).toBe("restart");
    expect(console.complaints()).toEqual([]);
  });

  test("nothing moves when problems appear, and a missing connection is created from the form", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    expect(await page.getByRole("link", { name: "Help" }).getAttribute("href")).toBe("/help/console#workflows");
    const heightOf = async (one: Locator) => (await one.boundingBox())?.height;
    const tabs = page.getByRole("complementary", { name: "Details" }).getByRole("tablist");
    const before = await heightOf(tabs);
    await palette(page, /^Python script/u).click();
    const create = page.getByRole("link", { name: /^New Script connection/u });
    await create.waitFor();
    expect(await create.getAttribute("href")).toBe("/connections/new?type=script");
    await page.getByRole("tab", { name: "Problems" }).click();
    await page.getByRole("tab", { name: "Problems 2" }).waitFor();
    expect(await heightOf(tabs)).toBe(before);
    expect(console.complaints()).toEqual([]);
  });

  test("publishing counts the steps inside a forEach, and moves nothing in the toolbar", async () => {
    const each = { id: "each", type: "forEach", items: "[]", body: { nodes: [delay("inner")], edges: [] } };
    const page = await open({ nodes: [each], edges: [] });
    const addAt = async () => (await page.getByRole("button", { name: "Add", exact: true }).boundingBox())?.x;
    const before = await addAt();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("No version is live. The new version has 2 steps.").waitFor();
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("button", { name: "Nothing to publish", exact: true }).waitFor();
    expect(await addAt()).toBe(before);
    expect(console.complaints()).toEqual([]);
  });

  test("a step that Undo removed stays out of the selection, also after Redo", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    await palette(page, /^Bash script/u).click();
    await node(page, "script-1").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await node(page, "script-1").waitFor({ state: "detached" });
    await page.getByLabel("Description").waitFor();
    await page.getByRole("button", { name: "Fit View" }).click();
    await node(page, "first").click({ modifiers: ["Shift"] });
    await page.getByRole("textbox", { name: "Id" }).waitFor();
    await page.getByRole("button", { name: "Redo" }).click();
    await node(page, "script-1").waitFor();
    expect(await page.getByRole("textbox", { name: "Id" }).inputValue()).toBe("first");
    expect(console.complaints()).toEqual([]);
  });

  test("an action has the icon of its connection type, in the palette, on its card and in its form", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    const iconOf = (within: Locator) => within.locator("svg").first().getAttribute("class");
    const names = ["Bash script", "HTTP request", "Execute query", "Delete pod"];
    const inPalette = await Promise.all(names.map((name) => iconOf(palette(page, new RegExp(`^${name}`, "u")))));
    expect(new Set(inPalette).size).toBe(names.length);
    await palette(page, /^HTTP request/u).click();
    const card = node(page, "request-1");
    await card.waitFor();
    const form = page.getByRole("complementary", { name: "Details" }).locator("[data-panel-form]");
    expect([await iconOf(card), await iconOf(form)]).toEqual([inPalette[1] ?? null, inPalette[1] ?? null]);
    expect(console.complaints()).toEqual([]);
  });

  test("errors of a new step appear after leaving their field, and all of them with the list of problems", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    await palette(page, /^Bash script/u).click();
    // The warning and the errors come with the same answer of the service.
    await isNamed(node(page, "script-1"), /, 1 warning$/u);
    const list = page.getByRole("tab", { name: /^Problems/u });
    expect(await list.textContent()).toBe("Problems1 warning");
    const form = page.getByRole("complementary", { name: "Details" });
    expect(await form.getByText("Required", { exact: false }).count()).toBe(0);

    await page.getByRole("combobox", { name: /^Connection/u }).focus();
    for (const key of ["Escape", "Tab", "Tab"]) await page.keyboard.press(key);
    await isNamed(node(page, "script-1"), /, 1 problem, 1 warning$/u);
    await form.getByText("Required: script.bash runs on a connection").waitFor();

    await list.click();
    await page.getByText(/Starts immediately, in parallel with first/u).waitFor();
    await isNamed(node(page, "script-1"), /, 2 problems, 1 warning$/u);
    await page.getByRole("tab", { name: "Edit" }).click();
    await form.getByText("Required.", { exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);

    // Another step is new again; leaving its form shows its errors.
    await palette(page, /^Condition/u).click();
    await node(page, "check-1").waitFor();
    await page.getByRole("button", { name: "Fit View" }).click();
    await node(page, "first").click();
    await isNamed(node(page, "check-1"), /, 1 problem$/u);
    await node(page, "check-1").click();
    await form.getByText("Needs at least one condition.").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("an error of a field appears after the typing, and follows the typing from then on", async () => {
    const page = await open({ nodes: [{ id: "ask", type: "approval", message: "Go on?" }, delay("other")], edges: [] });
    await isNamed(node(page, "other"), /, 1 warning$/u);
    await node(page, "ask").click();
    const question = page.getByRole("textbox", { name: "Question" });
    const name = page.getByRole("textbox", { name: "Name" });
    const typed = async (text: string) => {
      await question.press("Control+a");
      await question.press("Backspace");
      const checked = page.waitForResponse(
        (response) =>
          response.url().endsWith("/workflows/validate") && (response.request().postData() ?? "").includes(text),
      );
      await page.keyboard.insertText(text);
      return (await checked).text();
    };
    expect(await typed("{{nodes.x.output}}")).toContain("definition.nodes.0.message");
    expect(await question.getAttribute("aria-invalid")).toBeNull();
    await name.focus();
    await isNamed(node(page, "ask"), /, 1 problem$/u);
    await question.focus();
    expect(await question.getAttribute("aria-invalid")).toBe("true");
    await typed("Go on?");
    await isNamed(node(page, "ask"), /Go on\?$/u);
    expect(console.complaints()).toEqual([]);
  });

  test("a new workflow shows no problem before there is a step, except in the list of problems", async () => {
    const page = await console.pageAs("editor", { at: "/workflows/new" });
    const checked = page.waitForResponse((response) => response.url().endsWith("/workflows/validate"));
    await page.getByRole("button", { name: /^Webhook/u }).click();
    expect(await (await checked).text()).toContain("definition.nodes");
    const list = page.getByRole("tab", { name: /^Problems/u });
    expect(await list.textContent()).toBe("Problems");
    await list.click();
    await page.getByRole("button", { name: /^Workflow A workflow needs at least one step/u }).waitFor();
    expect(await list.textContent()).toBe("Problems1");
    expect(console.complaints()).toEqual([]);
  });

  test("lists, dialogs and messages name steps by their titles, and Connect offers no loop", async () => {
    const nodes = [
      delay("a", { name: "Look first" }),
      delay("b", { name: "Restart it" }),
      delay("c", { name: "Page the team" }),
      delay("d", { name: "Write it down" }),
    ];
    const edges = [
      { from: "a", to: "b", on: "success" },
      { from: "b", to: "c", on: "success" },
    ];
    const page = await open({ nodes, edges });
    await node(page, "b").click();
    const form = page.getByRole("complementary", { name: "Details" });
    await form.getByRole("button", { name: "Look first", exact: true }).waitFor();
    await form.getByRole("button", { name: "Remove the edge Restart it, on success, to Page the team" }).waitFor();

    await form.getByRole("button", { name: "Connect" }).click();
    const dialog = page.getByRole("dialog", { name: "Connect Restart it" });
    await dialog.getByRole("combobox", { name: "Run next" }).click();
    // A loop and an edge that exists are left out.
    expect(await page.getByRole("listbox").getByRole("option").allTextContents()).toEqual(["Write it down (d)"]);
    await page.getByRole("option", { name: /^Write/u }).click();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Connect" }).click();
    await page.getByLabel("b, on success, to d", { exact: true }).waitFor({ state: "attached" });

    await palette(page, /^Delay/u).click();
    await page.getByText("Added wait-1 after Restart it.").waitFor();
    await page.getByRole("button", { name: "Fit View" }).click();
    await node(page, "c").click();
    await form.getByText("Page the team", { exact: true }).first().waitFor();
    await form.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Removed Page the team. Press Ctrl Z to undo.").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("a step has a menu, by right click and by key, with the commands on the selection", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    await node(page, "first").click({ button: "right" });
    const menu = page.getByRole("menu");
    await menu.waitFor();
    const items = ["Edit", "Add a step after", "Connect", "Copy", "Duplicate", "Delete"];
    for (const name of items) await menu.getByRole("menuitem", { name, exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await menu.getByRole("menuitem", { name: "Duplicate" }).click();
    await node(page, "first-1").waitFor();
    await menu.waitFor({ state: "detached" });

    await eventually("the copy has the focus", async () => {
      return (await page.evaluate("document.activeElement?.getAttribute('data-id')")) === "first-1";
    });
    await page.keyboard.press("Shift+F10");
    await eventually("the menu has the focus", async () => {
      return (await page.evaluate("document.activeElement?.closest('[role=menu]') !== null")) === true;
    });
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await node(page, "first-1").waitFor({ state: "detached" });

    const reader = await console.pageAs("viewer", { at: new URL(page.url()).pathname });
    await node(reader, "first").click({ button: "right" });
    await reader.getByRole("menuitem", { name: "Copy" }).waitFor();
    expect(await reader.getByRole("menuitem").allTextContents()).toEqual(["ShowEnter", "CopyCtrl C"]);
    expect(console.complaints()).toEqual([]);
  });
});

async function isNamed(element: Locator, name: RegExp): Promise<void> {
  await eventually(`a node is named ${name}`, async () => name.test((await element.getAttribute("aria-label")) ?? ""));
}
