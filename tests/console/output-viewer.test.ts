import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { ROOT } from "../../scripts/paths.ts";
import type { JobResult } from "../../schema/contract/agent.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, WIDE, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { ended } from "../support/management.ts";
import { WorkingAgent } from "../support/working-agent.ts";
import { success } from "../support/agent-client.ts";
import { execute, publishWorkflow, script, scriptConnection } from "./executions-scene.ts";

const LINES = 20_000;
const EVERY = 1_000;
const ESC = "\u001B";

describe.skipIf(NO_CHROMIUM !== null)("the viewer of an output", () => {
  let console: ConsoleUnderTest;
  let agent: WorkingAgent;
  let workflowId: string;
  beforeAll(async () => {
    console = await startConsole();
    agent = await WorkingAgent.start(console.bellhop, "web");
    const connectionId = await scriptConnection(console.bellhop, "web");
    workflowId = await publishWorkflow(console.bellhop, "Write much", {
      nodes: [script("write", connectionId)],
      edges: [],
    });
  });
  afterAll(async () => {
    await agent.stop();
    await console.stop();
  });

  const ran = async (output: NonNullable<JobResult["output"]>): Promise<string> => {
    agent.does((job) => ({ ...success(job), output }));
    const id = await execute(console.bellhop, workflowId);
    await ended(console.bellhop, id);
    return id;
  };
  const viewer = (page: Page) => page.getByRole("dialog");
  const chosenLine = (page: Page, text: string) => viewer(page).locator(".cm-chosen").filter({ hasText: text });

  test("finds text in lines that are not in the page, fills the window, and has links to lines", async () => {
    const id = await ran({ stdout: long(), stderr: "", exitCode: 0, truncated: true, droppedBytes: 1_234_567 });
    const page = await console.pageAs("operator", { at: `/executions/${id}` });
    await page.getByText("Truncated: 1,234,567 bytes dropped").waitFor();
    await page.getByRole("button", { name: "Open: stdout" }).click();
    await viewer(page).locator(".cm-line").last().waitFor();
    expect(await viewer(page).boundingBox()).toMatchObject({ x: 0, y: 0, height: 900 });
    // The rest is the place of the page's scrollbar.
    expect((await viewer(page).boundingBox())?.width).toBeGreaterThan(WIDE - 20);
    await viewer(page).getByText("Truncated: 1,234,567 bytes dropped").waitFor();
    // The end of the text comes first.
    await viewer(page).getByText(`line ${LINES}`, { exact: true }).waitFor();
    // The place after the last newline is no line.
    expect(await viewer(page).locator(".cm-gutterElement").last().textContent()).toBe("");

    await viewer(page).getByLabel("Search").fill("needle");
    await viewer(page)
      .getByText(`1 of ${LINES / EVERY}`, { exact: true })
      .waitFor();
    await viewer(page).getByText(`NEEDLE ${EVERY}`, { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await viewer(page)
      .getByText(`2 of ${LINES / EVERY}`, { exact: true })
      .waitFor();
    await viewer(page).getByRole("button", { name: "Previous match" }).click();
    await viewer(page).getByRole("button", { name: "Previous match" }).click();
    await viewer(page).getByText(`NEEDLE ${LINES}`, { exact: true }).waitFor();
    expect(await viewer(page).locator(".cm-line").count()).toBeLessThan(200);
    await viewer(page).getByLabel("Search").fill("nowhere");
    await viewer(page).getByText("No matches").waitFor();
    await viewer(page).getByLabel("Search").fill("");

    await viewer(page).getByLabel("Line", { exact: true }).fill("12345");
    await chosenLine(page, "line 12333").waitFor();
    await viewer(page).getByRole("button", { name: "Copy link to line 12,345" }).waitFor();
    await page.waitForURL(/node=write&output=stdout&line=12345$/u);
    await page.reload();
    await chosenLine(page, "line 12333").waitFor();
    await viewer(page).locator(".cm-gutterElement").getByText("12347", { exact: true }).click();
    await page.waitForURL(/line=12347$/u);
    await chosenLine(page, "line 12335").waitFor();
    expect(await axeProblems(page)).toEqual([]);

    await viewer(page).getByRole("button", { name: "Full screen" }).click();
    await viewer(page).getByRole("button", { name: "Exit full screen" }).waitFor();
    expect(await page.evaluate("document.fullscreenElement !== null")).toBe(true);
    await viewer(page).getByRole("button", { name: "Exit full screen" }).click();
    await viewer(page).getByRole("button", { name: "Close" }).click();
    await viewer(page).waitFor({ state: "detached" });
    expect(page.url()).not.toContain("line=");
    expect(console.complaints()).toEqual([]);
  });

  test("shows colours that are readable in both themes, and never markup", async () => {
    const id = await ran({ stdout: colored(), stderr: "", exitCode: 0, truncated: true });
    const page = await console.pageAs("operator", { at: `/executions/${id}?node=write`, width: NARROW });
    for (const { dark, width } of [
      { dark: false, width: NARROW },
      { dark: true, width: WIDE },
    ]) {
      await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      await page.setViewportSize({ width, height: 900 });
      const inPage = page.getByRole("region", { name: "stdout" }).getByText("red 31", { exact: true });
      await page.getByText("Truncated: the output exceeded the limit").waitFor();
      const color = String(await page.evaluate("getComputedStyle(document.querySelector('pre span')).color"));
      expect(await inPage.count()).toBe(1);
      await page.getByRole("button", { name: "Open: stdout" }).click();
      const line = viewer(page).locator(".cm-line span").getByText("red 31", { exact: true });
      await line.waitFor();
      expect(await page.evaluate("getComputedStyle(document.querySelector('.cm-line span')).color")).toBe(color);
      expect(color).not.toBe("rgb(0, 0, 0)");
      expect(await viewer(page).locator("img").count()).toBe(0);
      await viewer(page).getByText("<img src=x onerror=alert(1)>␛]0;title␇", { exact: true }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      await picture(page, `output-colours-${width}-${dark ? "dark" : "light"}`);
      expect(await axeProblems(page)).toEqual([]);
      await viewer(page).getByRole("button", { name: "Close" }).click();
      await viewer(page).waitFor({ state: "detached" });
    }
    expect(console.complaints()).toEqual([]);
  });

  test("shows JSON as a tree that opens with keys, bounded, and as text", async () => {
    const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `row ${id}` }));
    const id = await ran({ rows, rowCount: rows.length });
    const page = await console.pageAs("operator", { at: `/executions/${id}` });
    await page.getByRole("button", { name: "Open: JSON" }).click();
    const tree = viewer(page).getByRole("group", { name: "JSON" });
    await tree.getByText("rows: [3,000 items]").waitFor();
    expect(await tree.locator("li").count()).toBe(102);
    await tree.getByRole("button", { name: "Show more of 2,900" }).click();
    await tree.getByRole("button", { name: "Show more of 2,800" }).waitFor();
    await tree.locator("summary").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await tree.getByText('name: "row 0"').waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await tree.getByText('name: "row 0"').waitFor({ state: "detached" });
    expect(await tree.locator("li").count()).toBe(2);
    for (const dark of [false, true]) {
      await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
      await picture(page, `output-tree-${WIDE}-${dark ? "dark" : "light"}`);
      expect(await axeProblems(page)).toEqual([]);
    }
    // Search shows the text, where every line can be found.
    await viewer(page).getByLabel("Search").fill("row 2999");
    await viewer(page).getByText("1 of 1", { exact: true }).waitFor();
    await viewer(page).locator(".cm-line").filter({ hasText: '"name": "row 2999"' }).waitFor();
    expect(console.complaints()).toEqual([]);
  });
});

function long(): string {
  return Array.from({ length: LINES }, (_, index) => {
    const line = index + 1;
    return `line ${line}\n${line % EVERY === 0 ? `NEEDLE ${line}\n` : ""}`;
  }).join("");
}

/** The 16 colours, some others, and what must have no effect. */
function colored(): string {
  const named = [31, 32, 33, 34, 35, 36, 37, 90, 91, 92, 93, 94, 95, 96, 97, 30].map(
    (code) => `${ESC}[${code}mred ${code}${ESC}[0m`,
  );
  const behind = [41, 42, 43, 44, 45, 46, 47, 100].map((code) => `${ESC}[${code}mon ${code}${ESC}[0m`);
  const others = ["1", "2", "3", "4", "7", "9", "38;5;208", "38;2;255;255;0", "48;5;17", "1;33;44"];
  const rest = others.map((codes) => `${ESC}[${codes}mcodes ${codes}${ESC}[0m`);
  return [...named, ...behind, ...rest, `<img src=x onerror=alert(1)>${ESC}]0;title\u0007`].join("\n");
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = join(ROOT, "dist/screens");
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
