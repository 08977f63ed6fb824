import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { createAgent, createConnection, createWebhookWorkflow } from "../support/management.ts";

describe.skipIf(NO_CHROMIUM !== null)("the palette of the console", () => {
  let console: ConsoleUnderTest;
  let workflowId: string;
  let agentId: string;
  beforeAll(async () => {
    console = await startConsole();
    agentId = (await createAgent(console.bellhop, { name: "web-1", poolId: "web" })).agent.id;
    const connectionId = await createConnection(console.bellhop, { type: "script", poolId: "web" });
    const nodes = [{ id: "restart", type: "action", action: "script.bash", connectionId, params: { script: "true" } }];
    ({ workflowId } = await createWebhookWorkflow(console.bellhop, { nodes, edges: [] }));
  });
  afterAll(() => console.stop());

  test("opens by Ctrl+K, finds a workflow by a part of its name, and Enter opens its page", async () => {
    const page = await console.pageAs("editor");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search and commands" });
    await field.fill("agents");
    await page.getByRole("option", { name: /^Agents/u, selected: true }).waitFor();
    const chosen = await field.getAttribute("aria-activedescendant");
    expect(await page.getByRole("option", { selected: true }).getAttribute("id")).toBe(chosen);
    expect(await axeProblems(page)).toEqual([]);
    await field.fill("workflow");
    await page.getByRole("option", { name: /^New workflow/u }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await field.getAttribute("aria-activedescendant")).not.toBe(chosen);
    await field.fill("run");
    await page.getByRole("option", { name: /^Run /u }).click();
    await page.getByRole("dialog", { name: /^Run “/u }).waitFor();
    expect(page.url()).toContain(`/workflows/${workflowId}?open=run`);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(new URL(page.url()).search).toBe("");
    // Pages that were open come first when nothing is typed.
    await page.getByRole("link", { name: "Incidents" }).click();
    await page.getByRole("heading", { level: 1, name: "Incidents" }).waitFor();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByRole("option", { name: /Recent$/u, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/workflows/${workflowId}`);
    expect(console.complaints()).toEqual([]);
  });

  test("opens the page of a pasted id, and says what an id that leads nowhere is", async () => {
    const page = await console.pageAs("admin", { at: "/settings/account", width: NARROW });
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const field = page.getByRole("combobox", { name: "Search and commands" });
    for (const [typed, sentence] of [
      [`exe_${UUID}`, `There is no execution with the id exe_${UUID}. It may have been deleted.`],
      [`job ${`job_${UUID}`}`, "This is the id of a job, which has no page."],
      ["con_0198c0de-1111", "This is not the whole id of a connection. Copy all of it."],
      ["no such thing", "Nothing matches “no such thing”."],
    ] as const) {
      await field.fill(typed);
      await page.getByText(sentence).waitFor();
    }
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    await field.fill(` see https://bellhop.example/agents/${agentId}?x=1 `);
    await page.getByRole("option", { name: "Open agent web-1" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/agents/${agentId}`);
    console.complaints();
  });

  test("offers a viewer no commands that a viewer may not use, and signs out", async () => {
    const page = await console.pageAs("viewer", { at: "/agents?open=create" });
    await page.getByRole("link", { name: "web-1" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search and commands" });
    await field.fill("web-1");
    await page.getByRole("option", { name: /^web-1/u }).waitFor();
    for (const typed of ["New agent", "Run a", "New workflow"]) {
      await field.fill(typed);
      await page.getByText(`Nothing matches “${typed}”.`).waitFor();
    }
    // Escape closes the palette, and a dialog with a form keeps it closed.
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await field.fill("theme dark");
    await page.keyboard.press("Enter");
    await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
    await page.keyboard.press("Control+k");
    await field.fill("sign out");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Password" }).waitFor();
    expect(console.complaints()).toEqual([]);
  });
});

const UUID = "0198c0de-1111-7222-8333-444455556666";
