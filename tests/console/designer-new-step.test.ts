import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { axeProblems } from "../support/axe.ts";
import { eventually } from "../support/eventually.ts";
import { createConnection, createWorkflow } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("a new step in the designer", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
    await createConnection(console.bellhop, { name: "Web servers" });
    await createConnection(console.bellhop, { name: "Databases" });
    const config = { baseUrl: "https://example.com", authType: "none" };
    await createConnection(console.bellhop, { name: "Api", type: "http", config });
  });
  afterAll(() => console.stop());

  const node = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
  const palette = (page: Page, name: RegExp): Locator =>
    page.getByRole("complementary", { name: "Palette" }).getByRole("button", { name });
  const open = async (definition: object): Promise<Page> => {
    const { id } = await createWorkflow(console.bellhop, { definition });
    return console.pageAs("editor", { at: `/workflows/${id}/edit` });
  };
  const delay = (id: string) => ({ id, type: "delay", seconds: 60 });

  test("the only connection that fits an action is chosen for a new step, and a choice is not made for the person", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    const connection = page.getByRole("combobox", { name: /^Connection/u });
    await palette(page, /^HTTP request/u).click();
    await node(page, "request-1").waitFor();
    expect(await connection.inputValue()).toBe("Api");
    await palette(page, /^Bash script/u).click();
    await node(page, "script-1").waitFor();
    expect(await connection.inputValue()).toBe("");
    expect(console.complaints()).toEqual([]);
  });

  test("a new condition is typed at once, also before its editor has loaded", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    await palette(page, /^Condition/u).click();
    await node(page, "check-1").waitFor();
    await page.getByRole("button", { name: "Add a condition" }).click();
    const field = page.getByRole("textbox", { name: "Condition 1: field" });
    const isFocused = () => field.and(page.locator(":focus")).count();
    await eventually("the field has the focus", async () => (await isFocused()) === 1);
    await page.keyboard.type("webhook.x");
    await page.getByRole("button", { name: "Add a condition" }).click();
    await page.keyboard.type("webhook.y");
    expect(await page.getByRole("textbox", { name: "Condition 2: field" }).textContent()).toBe("webhook.y");
    expect(await field.textContent()).toBe("webhook.x");
    expect(console.complaints()).toEqual([]);
  });

  test("the click on a button hits it, although problems are found, or shown, while it is pressed", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    const press = async (button: Locator, whilePressed: () => Promise<unknown>) => {
      await button.hover();
      await page.mouse.down();
      await whilePressed();
      await page.mouse.up();
    };
    const frames = () =>
      page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    let answer = () => undefined as void;
    const pressed = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/workflows/validate", async (route) => {
      await pressed;
      await route.continue();
    });
    await palette(page, /^Condition/u).click();
    await node(page, "check-1").waitFor();
    const add = page.getByRole("button", { name: "Add a condition" });
    await press(add, async () => {
      const checked = page.waitForResponse("**/workflows/validate");
      answer();
      await (await checked).finished();
      await frames();
    });
    const field = page.getByRole("textbox", { name: "Condition 1: field" });
    await field.waitFor();
    const again = page.waitForResponse((response) => response.request().postData()?.includes("no path") === true);
    await field.pressSequentially("no path");
    await (await again).finished();
    await press(add, frames);
    await page.getByRole("textbox", { name: "Condition 2: field" }).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("a new step does not take the focus from a field that the person has gone on to", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    await palette(page, /^Sub-workflow/u).waitFor();
    await page.evaluate(`
      const later = [];
      const { requestAnimationFrame } = window;
      window.requestAnimationFrame = (work) => later.push(work);
      window.goOn = () => {
        window.requestAnimationFrame = requestAnimationFrame;
        for (const work of later) requestAnimationFrame(work);
      };
    `);
    await palette(page, /^Sub-workflow/u).click();
    const workflow = page.getByRole("combobox", { name: /^Workflow/u });
    await workflow.fill("(this workflow)");
    await page.evaluate("goOn()");
    for (let frame = 1; frame <= 10; frame++) await page.evaluate("new Promise(requestAnimationFrame)");
    expect(await workflow.inputValue()).toBe("(this workflow)");
    expect(await workflow.and(page.locator(":focus")).count()).toBe(1);
    expect(console.complaints()).toEqual([]);
  });

  test("a sub-workflow that is the workflow itself is marked, and says how deep it can go", async () => {
    const page = await open({ nodes: [delay("first")], edges: [] });
    await palette(page, /^Sub-workflow/u).click();
    await page.getByRole("combobox", { name: /^Workflow/u }).fill("(this workflow)");
    await page.getByRole("option", { name: "a workflow (this workflow)" }).click();
    await page.getByText("At most 5 runs can start each other", { exact: false }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("copying and pasting steps by key is confirmed", async () => {
    const page = await open({ nodes: [delay("first"), delay("second")], edges: [] });
    await node(page, "first").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    await page.getByText("Copied 2 steps.").waitFor();
    await page.keyboard.press("Control+v");
    await page.getByText("Pasted 2 steps.").waitFor();
    expect(console.complaints()).toEqual([]);
  });
});
