import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import type { Job, JobResult } from "../../schema/contract/agent.ts";
import { lastLines } from "../../console/views/executions/output-parts.ts";
import { runbookOf } from "../../console/views/executions/runbook.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { ended } from "../support/management.ts";
import { isSaved } from "../support/publish-in-console.ts";
import { WorkingAgent, failure } from "../support/working-agent.ts";
import { edge, execute, publishWorkflow, script, scriptConnection } from "./executions-scene.ts";

describe.skipIf(NO_CHROMIUM !== null)("the page of a failed execution", () => {
  let console: ConsoleUnderTest;
  let agent: WorkingAgent;
  let connectionId: string;
  beforeAll(async () => {
    console = await startConsole();
    agent = await WorkingAgent.start(console.bellhop, "web");
    connectionId = await scriptConnection(console.bellhop, "web");
  });
  afterAll(async () => {
    await agent.stop();
    await console.stop();
  });

  test("has one banner: step, exit code, the end of stderr, what to do, the runbook and Retry", async () => {
    const { bellhop } = console;
    const definition = {
      nodes: [script("renew", connectionId, { name: "Renew it" }), script("reload", connectionId)],
      edges: [edge("renew", "reload")],
    };
    const runbookUrl = "https://wiki.example.com/runbooks/edge";
    const workflowId = await publishWorkflow(bellhop, "Renew the certificate", definition, { runbookUrl });
    agent.does((job) => withOutput(job, { stdout: "said on stdout\n", stderr: LINES, exitCode: 3 }));
    const id = await execute(bellhop, workflowId);
    await ended(bellhop, id);
    const page = await console.pageAs("operator", { at: `/executions/${id}` });
    const banner = page.getByRole("alert").filter({ hasText: "Renew it failed" });
    await banner.getByText("exit code 3").waitFor();
    const excerpt = await banner.locator("pre").innerText();
    expect(excerpt.split("\n")).toEqual(Array.from({ length: 10 }, (_, index) => `line ${index + 16}`));
    await banner.getByText("Read the output, fix the cause, then retry.").waitFor();
    const runbook = banner.getByRole("link", { name: "Runbook on wiki.example.com" });
    expect(await runbook.getAttribute("href")).toBe(runbookUrl);
    expect(await runbook.getAttribute("rel")).toBe("noopener noreferrer");
    // The reason is said once: neither the step's details nor the list of steps repeat it.
    expect(await page.getByText("certbot gave up").count()).toBe(1);
    const detail = page.getByRole("region", { name: "Step Renew it" });
    const titles = await detail.locator("summary").allInnerTexts();
    expect(titles.map((title) => title.split(" (")[0])).toEqual([
      "stderr",
      "stdout",
      "Stages",
      "Details",
      "Step definition",
    ]);
    expect(await detail.getByRole("list", { name: "Stages" }).count()).toBe(0);
    const stderr = detail.getByRole("region", { name: "stderr" });
    await detail.getByRole("button", { name: "Wrap lines: stderr" }).click();
    expect(await stderr.getAttribute("data-whole-lines")).toBe("true");
    // Each of its lines is one line on the screen.
    expect((await stderr.innerText()).trimEnd().split("\n")).toHaveLength(25);
    const downloading = page.waitForEvent("download");
    await detail.getByRole("button", { name: "Download: stderr" }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe("stderr.txt");
    expect(await readFile(await file.path(), "utf8")).toBe(LINES);
    expect(await axeProblems(page)).toEqual([]);

    await page.setViewportSize({ width: NARROW, height: 844 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    agent.does((job) => withOutput(job, { stdout: "", stderr: "", exitCode: 0 }));
    await banner.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run again" }).click();
    await page.getByRole("status").filter({ hasText: "Run succeeded." }).waitFor();
    expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(1);
    expect(console.complaints()).toEqual([]);
  });

  test("shows an only line of stderr once", async () => {
    const { bellhop } = console;
    const nodes = [script("renew", connectionId, { name: "Renew it" })];
    const workflowId = await publishWorkflow(bellhop, "Says one line", { nodes, edges: [] });
    const message = "bash ended with exit code 3. Last line of stderr: no answer";
    agent.does((job) => ({
      ...failure(job, message),
      output: { stdout: "", stderr: "no answer\n", exitCode: 3 },
      error: { code: "nonzero_exit", message },
    }));
    const id = await execute(bellhop, workflowId);
    await ended(bellhop, id);
    const page = await console.pageAs("viewer", { at: `/executions/${id}` });
    const banner = page.getByRole("alert").filter({ hasText: "Renew it failed" });
    await banner.getByText("Read the output, fix the cause, then retry.").waitFor();
    expect((await banner.innerText()).match(/no answer|exit code 3/gu)).toEqual(["exit code 3", "no answer"]);
    await page.close();
  });

  test("offers a viewer no Retry, and the designer edits the address of the runbook", async () => {
    const { bellhop } = console;
    const workflowId = await publishWorkflow(bellhop, "No runbook yet", {
      nodes: [script("renew", connectionId)],
      edges: [],
    });
    agent.does((job) => failure(job));
    const id = await execute(bellhop, workflowId);
    await ended(bellhop, id);
    const editor = await console.pageAs("editor", { at: `/workflows/${workflowId}/edit` });
    const field = editor.getByLabel("Runbook");
    await field.fill("javascript:alert(1)");
    await editor.getByText("Must be an http:// or https:// address").first().waitFor();
    await field.fill("https://wiki.example.com/renew");
    await isSaved(editor);
    const viewer = await console.pageAs("viewer", { at: null });
    await viewer.goto(`${bellhop.url}/executions/${id}`);
    await viewer.getByRole("link", { name: "Runbook on wiki.example.com" }).waitFor();
    expect(await viewer.getByRole("button", { name: "Retry" }).count()).toBe(0);
    await viewer.getByText("Your role cannot retry runs.").waitFor();
    expect(console.complaints()).toEqual([]);
  });
});

const LINES = Array.from({ length: 25 }, (_, index) => `line ${index + 1}\n`).join("");

function withOutput(job: Job, output: { stdout: string; stderr: string; exitCode: number }): JobResult {
  const failed = failure(job, "certbot gave up");
  return output.exitCode === 0 ? { ...failed, status: "succeeded", output, error: null } : { ...failed, output };
}

describe("the runbook of a failed execution", () => {
  const incident = (tags: Record<string, string>) => ({ type: "incident", incident: { id: "inc_1", tags } }) as const;
  const manual = { type: "manual", variables: {}, by: null } as const;

  test("is the workflow's, otherwise the one in the incident's tags", () => {
    const ofIncident = incident({ runbook_url: "https://alerts.example.com/disk" });
    expect(runbookOf("https://wiki.example.com/disk", ofIncident)).toBe("https://wiki.example.com/disk");
    expect(runbookOf(null, ofIncident)).toBe("https://alerts.example.com/disk");
    expect(runbookOf(null, incident({ runbook: "http://alerts.example.com" }))).toBe("http://alerts.example.com");
    expect([runbookOf(null, manual), runbookOf(null, incident({}))]).toEqual([null, null]);
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "//example.com", "see the wiki", "https://", "https://a b"])(
    "is no link when a tag says %j",
    (runbook_url) => {
      expect(runbookOf(null, incident({ runbook_url }))).toBeNull();
    },
  );
});

test("the end of a text is its last lines, without empty ones after them, and short even if a line is long", () => {
  expect(lastLines("a\nb\nc\n\n", 2)).toBe("b\nc");
  expect(lastLines("a", 10)).toBe("a");
  expect(lastLines("x".repeat(100_000), 10)).toHaveLength(2_000);
});
