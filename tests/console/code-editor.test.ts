import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { workflowSchema } from "../../schema/contract/management.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest, PageOptions } from "../support/console.ts";
import { call, createConnection, createWorkflow, dataOf } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("the full-screen editor of code", () => {
  let console: ConsoleUnderTest;
  let connectionId = "";
  beforeAll(async () => {
    console = await startConsole();
    ({ id: connectionId } = await createConnection(console.bellhop, { name: "Web servers" }));
  });
  afterAll(() => console.stop());

  const open = async (script: string, options: PageOptions = {}) => {
    const node = { id: "one", type: "action", action: "script.bash", connectionId, params: { script } };
    const { id } = await createWorkflow(console.bellhop, { definition: { nodes: [node], edges: [] } });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit`, ...options });
    await page.locator('.react-flow__node[data-id="one"]').click();
    return { page, id };
  };
  const dialog = (page: Page): Locator => page.getByRole("dialog", { name: "Script (Bash)" });
  const editor = (page: Page): Locator => page.getByRole("textbox", { name: "Script (Bash)" });
  const expand = async (page: Page) => {
    await page.getByRole("button", { name: "Open script full screen" }).click();
    await dialog(page).waitFor();
  };
  const hasFocus = async (field: Locator) => (await field.and(field.page().locator(":focus")).count()) === 1;

  test("fills the screen with the same editor: focus, typing and undo continue there and back", async () => {
    const { page, id } = await open("echo one");
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" two");
    await expand(page);
    expect(await hasFocus(editor(page))).toBe(true);
    expect(await dialog(page).boundingBox()).toMatchObject({ x: 0, y: 0, height: 900 });
    await page.keyboard.type(" three");
    expect(await editor(page).textContent()).toBe("echo one two three");
    // On a busy machine each letter can be a separate step.
    for (let letter = 0; letter < " two three".length; letter += 1) await page.keyboard.press("Control+z");
    expect(await editor(page).textContent()).toBe("echo one");
    await page.keyboard.type(" four");
    expect(await axeProblems(page)).toEqual([]);

    // Tab stays inside.
    for (let press = 0; press < 8; press += 1) {
      await page.keyboard.press("Tab");
      expect(await dialog(page).locator(":focus").count()).toBe(1);
    }
    await editor(page).click();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(await hasFocus(editor(page))).toBe(true);
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" five");
    expect(await editor(page).textContent()).toBe("echo one four five");
    await page.keyboard.press("Control+s");
    await page
      .getByRole("status", { name: "Saving" })
      .getByText(/^Saved/u)
      .waitFor();
    const saved = await dataOf(await call(console.bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
    expect(saved.definition.nodes[0]).toMatchObject({ params: { script: "echo one four five" } });

    // What was typed in both places is undone in the draft, too.
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    expect(await editor(page).textContent()).not.toContain("five");
    expect(console.complaints()).toEqual([]);
  });

  test("has the picker of values and the problems of the code beside it, and Done closes it", async () => {
    const { page } = await open("echo ");
    await expand(page);
    await page.keyboard.press("Control+End");
    await dialog(page).getByRole("textbox", { name: "Value" }).click();
    await dialog(page)
      .getByRole("option", { name: /^webhook/u })
      .waitFor();
    // Escape closes the list of paths, not the editor.
    await page.keyboard.press("Escape");
    await dialog(page).getByRole("listbox").waitFor({ state: "detached" });
    await page.keyboard.type("webhook.title");
    await dialog(page).getByRole("button", { name: "Pass as environment variable" }).click();
    await dialog(page).getByText('Inserted "$TITLE" and added TITLE').waitFor();
    expect(await hasFocus(editor(page))).toBe(true);
    await page.keyboard.type(" {{incident.title | shout}}");
    await dialog(page).getByText(/shout/u).nth(1).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    const done = dialog(page).getByRole("button", { name: "Done" });
    await done.focus();
    for (const key of ["?", "Control+k"]) await page.keyboard.press(key);
    await done.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
    expect(await hasFocus(editor(page))).toBe(true);
    expect(await editor(page).textContent()).toBe('echo "$TITLE" {{incident.title | shout}}');
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(console.complaints()).toEqual([]);
  });

  test("on a phone Escape closes the editor and leaves the form open", async () => {
    const { page } = await open("echo one", { width: NARROW, height: 844, dark: true });
    await expand(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await dialog(page).boundingBox()).toMatchObject({ x: 0, y: 0, height: 844 });
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(await hasFocus(editor(page))).toBe(true);
    await page.keyboard.press("Escape");
    await editor(page).waitFor({ state: "detached" });
    expect(console.complaints()).toEqual([]);
  });

  test("shows code to people who may not change it", async () => {
    const { id } = await open("echo one");
    const page = await console.pageAs("viewer", { at: `/workflows/${id}/edit` });
    await page.locator('.react-flow__node[data-id="one"]').click();
    await expand(page);
    expect(await dialog(page).getByText("Insert a value").count()).toBe(0);
    await page.keyboard.type("x");
    expect(await editor(page).textContent()).toBe("echo one");
    expect(console.complaints()).toEqual([]);
  });
});
