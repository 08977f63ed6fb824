import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { axeProblems } from "../support/axe.ts";
import { publish } from "../support/publish-in-console.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { createWebhookWorkflow, ended } from "../support/management.ts";
import { call, createWorkflow, dataOf, verb } from "../support/management-api.ts";
import { SUCCEEDS, createSchedule, getWorkflow } from "../support/schedules.ts";
import { query } from "../support/database.ts";

/** Succeeds when a variable meets the condition. */
const CHECKS_SERVICE = {
  nodes: [
    {
      id: "check",
      type: "condition",
      when: { logic: "all", conditions: [{ field: "webhook.service", operator: "equals", value: "it's nginx" }] },
    },
    { id: "pause", type: "delay", seconds: 1 },
  ],
  edges: [{ from: "check", to: "pause", on: "false" }],
};
const INPUTS = {
  service: { type: "string", required: true, description: "What to restart." },
  count: { type: "number" },
};

describe.skipIf(NO_CHROMIUM !== null)("workflows in the console", () => {
  let console: ConsoleUnderTest;
  let page: Page;
  beforeAll(async () => {
    console = await startConsole();
    page = await console.pageAs("editor", { at: null });
  });
  afterAll(() => console.stop());

  test("have an empty state with a way to the first one, and an import that shows a file's problems by line", async () => {
    await page.goto("/workflows");
    await page.getByText("No workflows yet").waitFor();
    await page.getByRole("button", { name: "Import" }).first().click();
    const dialog = page.getByRole("dialog");
    const file = (seconds: number) =>
      `apiVersion: bellhop/v1\nkind: Workflow\nname: Imported\ntrigger: { type: webhook }\ndefinition:\n  nodes:\n    - { id: pause, type: delay, seconds: ${seconds} }\n  edges: []\n`;
    await dialog.getByLabel("File content").fill(file(-1));
    await dialog.getByRole("button", { name: "Import" }).click();
    await dialog.getByText("definition.nodes.0.seconds").waitFor();
    await dialog.getByRole("button", { name: "Line 7" }).click();
    expect(await page.evaluate("getSelection().toString()")).toContain("seconds: -1");
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByLabel("File content").fill(file(1));
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.getByRole("heading", { name: "Imported", level: 1 }).waitFor();
    await page.getByText("Not published yet").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("are listed with their trigger, state and last execution", async () => {
    const { bellhop } = console;
    const scheduled = await createSchedule(bellhop, { expression: "0 9 * * 1", timezone: "Europe/Berlin" });
    const off = await createSchedule(bellhop, { expression: "*/5 * * * *" });
    const reason = "5 scheduled runs in a row failed, so the schedule was switched off.";
    await query(
      bellhop,
      "update workflows set active = 0, next_run_at = null, auto_disabled_at = ?, auto_disable_reason = ? where id = ?",
      [Date.now(), reason, off.id],
    );
    const hand = await createWorkflow(bellhop, { name: "Drain", trigger: { type: "manual" }, definition: SUCCEEDS });
    await verb(bellhop, hand.id, "publish");
    const started = await call(bellhop, "POST", `/workflows/${hand.id}/execute`, {});
    const { executionId } = await dataOf(started, 201, triggerAnswerSchema);
    await ended(bellhop, executionId);

    await page.goto("/workflows");
    const row = (text: string) => page.getByRole("row").filter({ hasText: text });
    await row("At 09:00 on Monday (Europe/Berlin)").getByText("Live", { exact: true }).waitFor();
    expect(await row("At 09:00").locator("time").getAttribute("datetime")).toBe(scheduled.nextRunAt ?? "none");
    await row("Every 5 minutes (UTC)").getByText(reason).waitFor();
    await row("Imported").getByText("Draft").waitFor();
    expect(await row("Drain").getByRole("link").last().getAttribute("href")).toBe(`/executions/${executionId}`);
    await page.getByLabel("State").selectOption("Switched off");
    await page.getByText("1 of 4 workflows").waitFor();
    await page.getByLabel("State").selectOption("Any state");
    await page.getByLabel("Search").fill("drain manual");
    await page.getByText("1 of 4 workflows").waitFor();
    expect(new URL(page.url()).search).toBe("?q=drain+manual");
    expect(await axeProblems(page)).toEqual([]);

    await page.goto(`/workflows/${off.id}?tab=schedule`);
    await page.getByText("The schedule is not running").waitFor();
    await page.getByRole("button", { name: "Activate again" }).click();
    await page.getByText("Next runs").waitFor();
    expect((await getWorkflow(bellhop, off.id)).autoDisabledAt).toBeNull();
    expect(console.complaints()).toEqual([]);
  });

  test("are started by the curl command of the webhook tab, until the key is replaced", async () => {
    const { bellhop } = console;
    const workflow = await createWorkflow(bellhop, { name: "Rings", definition: CHECKS_SERVICE });
    await page.goto(`/workflows/${workflow.id}?tab=webhook`);
    await page.getByRole("button", { name: "Generate key" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Generate key" }).click();
    await page.getByText("The webhook answers 404 for now").waitFor();
    const command = page.getByLabel("Command that calls the webhook", { exact: true });
    expect(await ring(command)).toMatchObject({ status: 404 });
    await publish(page);
    await page.getByRole("button", { name: "Activate" }).click();
    await page.getByText("The webhook answers 404 for now").waitFor({ state: "detached" });
    expect(await axeProblems(page)).toEqual([]);
    const { data } = await ring(command);
    const execution = await ended(bellhop, data.executionId);
    // The sample meets the condition. Otherwise the delay would have run.
    expect(execution.nodeRuns.find(({ nodeId }) => nodeId === "pause")?.status).toBe("skipped");
    expect(await command.textContent()).toContain("whs_");

    await page.getByRole("tab", { name: "Executions" }).click();
    await page.getByRole("cell", { name: "Webhook", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Webhook" }).click();
    expect(await command.textContent()).toContain("YOUR_WEBHOOK_SECRET");
    const former = (await getWorkflow(bellhop, workflow.id)).webhookKey;
    await page.getByRole("button", { name: "Replace key" }).click();
    await page.getByText("Calls with them are refused and not stored").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Replace key" }).click();
    await page.getByText("The secret is shown only once").waitFor();
    await eventually("another key", async () => (await getWorkflow(bellhop, workflow.id)).webhookKey !== former);
    expect((await fetch(`${bellhop.url}/api/v1/automation/webhooks/${former}`, { method: "POST" })).status).not.toBe(
      200,
    );
    // The same body starts a new execution: a new key has no deduplication record.
    expect((await ring(command)).data.deduplicated).toBeUndefined();
    expect(console.complaints()).toEqual([]);
  });

  test("are run manually with the inputs of their trigger", async () => {
    const { bellhop } = console;
    const trigger = { type: "manual", inputs: INPUTS };
    const workflow = await createWorkflow(bellhop, { name: "By hand", trigger, definition: SUCCEEDS });
    await page.goto(`/workflows/${workflow.id}`);
    await page.getByRole("button", { name: "Run now" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Only published workflows can run").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await publish(page);
    await page.getByText("Not published yet").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Run now" }).click();
    await dialog.getByLabel("count").fill("many");
    await dialog.getByRole("button", { name: "Run now" }).click();
    await dialog.getByText("Required.").waitFor();
    await dialog.getByText("Enter a number, such as 5 or 0.5.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByLabel("service").fill("nginx");
    await dialog.getByLabel("count").fill("2");
    await dialog.getByRole("button", { name: "Run now" }).click();
    await page.waitForURL("**/executions/*");
    const { trigger: given } = await ended(bellhop, page.url().split("/").at(-1) ?? "");
    expect(given).toMatchObject({ type: "manual", variables: { service: "nginx", count: 2 } });
    expect(console.complaints()).toEqual([]);
  });

  test("with variables are run with the example values only when a person says so", async () => {
    const { bellhop } = console;
    const { workflowId } = await createWebhookWorkflow(bellhop, {
      nodes: [
        {
          id: "is",
          type: "condition",
          when: { logic: "all", conditions: [{ field: "webhook.service", operator: "exists" }] },
        },
      ],
      edges: [],
    });
    await page.goto(`/workflows/${workflowId}?open=run`);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Run now" }).click();
    await dialog.getByText(/^These are example values\./u).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Run with the example values" }).click();
    await page.waitForURL("**/executions/*");
    const { trigger } = await ended(bellhop, page.url().split("/").at(-1) ?? "");
    expect(trigger).toMatchObject({ variables: { service: "example" } });
    expect(console.complaints()).toEqual([]);
  });

  test("are compared version by version, and an older one is restored as the draft unless the draft has changed", async () => {
    const { bellhop } = console;
    const graph = (seconds: number) => ({ nodes: [{ id: "pause", type: "delay", seconds }], edges: [] });
    const put = (seconds: number) =>
      call(bellhop, "PUT", `/workflows/${id}`, {
        name: "Versions",
        trigger: { type: "webhook" },
        definition: graph(seconds),
      });
    const { id } = await createWorkflow(bellhop, { name: "Versions", definition: graph(11) });
    await verb(bellhop, id, "publish");
    await page.goto(`/workflows/${id}?tab=versions`);
    await page.getByText("same as the draft").waitFor();
    // One version has nothing to be compared with.
    expect(await page.getByLabel("From").count()).toBe(0);
    await put(22);
    await verb(bellhop, id, "publish");
    await put(33);

    await page.goto(`/workflows/${id}`);
    await page.getByText("The draft has unpublished changes").waitFor();
    await page.getByRole("link", { name: "Show changes" }).click();
    await page.getByText("Wait: 22 seconds → 33 seconds").waitFor();
    await page.locator(".cm-merge-a").getByText("seconds: 22").waitFor();
    await page.locator(".cm-merge-b").getByText("seconds: 33").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByLabel("From").selectOption("Version 1");
    await page.getByLabel("To", { exact: true }).selectOption("Version 2 (live)");
    await page.getByText("Wait: 11 seconds → 22 seconds").waitFor();
    await page.setViewportSize({ width: NARROW, height: 800 });
    await page.locator(".cm-deletedChunk").getByText("seconds: 11").waitFor();
    const fits = () => page.evaluate(`document.documentElement.scrollWidth <= ${NARROW}`);
    await eventually("the page to fit a phone", async () => (await fits()) === true);
    await page.setViewportSize({ width: 1440, height: 900 });

    const restore = () => page.getByRole("button", { name: "Restore as draft: version 1" }).click();
    await put(44);
    await restore();
    await page.getByText("Someone else changed this workflow meanwhile").waitFor();
    expect((await getWorkflow(bellhop, id)).definition.nodes).toMatchObject([{ seconds: 44 }]);
    await page.getByLabel("To", { exact: true }).selectOption("The draft");
    await page.getByText("Wait: 11 seconds → 44 seconds").waitFor();
    await restore();
    await page.getByText(/^The draft of “.+” is now the same as version 1\./u).waitFor();
    // The comparison shows what publishing the restored version would change.
    await page.getByText("Wait: 22 seconds → 11 seconds").waitFor();
    expect((await getWorkflow(bellhop, id)).definition.nodes).toMatchObject([{ seconds: 11 }]);
    await page.getByRole("button", { name: "Undo this change" }).click();
    await page.getByText("The change was undone.").waitFor();
    expect((await getWorkflow(bellhop, id)).definition.nodes).toMatchObject([{ seconds: 44 }]);
    expect(console.complaints()).toEqual([]);
  });

  test("are deleted only after a confirmation when another workflow calls them", async () => {
    const { bellhop } = console;
    const { id } = await createWorkflow(bellhop, { name: "Called", definition: SUCCEEDS });
    await verb(bellhop, id, "publish");
    const definition = { nodes: [{ id: "calls", type: "workflow", workflowId: id }], edges: [] };
    const caller = await createWorkflow(bellhop, { name: "The caller", definition });
    await verb(bellhop, caller.id, "publish");
    await page.goto(`/workflows/${id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete workflow" }).click();
    await page.getByText(`A published workflow uses this workflow: The caller`).waitFor();
    await page.getByRole("button", { name: "Delete anyway" }).click();
    await page.waitForURL("**/workflows");
    expect((await call(bellhop, "GET", `/workflows/${id}`)).status).toBe(404);
    expect(console.complaints()).toEqual([]);
  });

  test("of an unknown id show that there is no such workflow", async () => {
    const page = await console.pageAs("editor", { at: "/workflows/wf_none" });
    await page.getByRole("heading", { name: "There is no workflow wf_none." }).waitFor();
    await page.goto(`${console.bellhop.url}/workflows/wf_none/edit`);
    await page.getByRole("heading", { name: "There is no workflow wf_none." }).waitFor();
  });

  test("offer only the export to a viewer", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Looked at", definition: SUCCEEDS });
    await verb(console.bellhop, id, "publish");
    const reader = await console.pageAs("viewer", { at: "/workflows" });
    await reader.getByRole("link", { name: "Looked at" }).waitFor();
    const page = reader.getByRole("main");
    expect(
      await page
        .getByRole("button")
        .or(page.getByRole("link", { name: "New" }))
        .count(),
    ).toBe(0);
    await reader.getByRole("link", { name: "Looked at" }).click();
    await reader.getByText(/^version 1 by the bootstrap token, .+ UTC$/u).waitFor();
    expect(await reader.getByRole("link", { name: "Change history" }).count()).toBe(0);
    await reader.getByRole("tab", { name: "Versions" }).click();
    await reader.getByRole("row").nth(1).waitFor();
    for (const name of ["Run now", "Publish", "Activate", "Deactivate", "Edit", "Restore", "Generate", "Delete"]) {
      expect(await reader.getByRole("button", { name }).or(reader.getByRole("link", { name })).count()).toBe(0);
    }
    await reader.getByRole("button", { name: "More" }).click();
    expect(await reader.getByRole("menuitem").allTextContents()).toEqual(["Export YAML"]);
    const [download] = await Promise.all([
      reader.waitForEvent("download"),
      reader.getByRole("menuitem", { name: "Export YAML" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("looked-at.workflow.yaml");
    expect(console.complaints()).toEqual([]);
  });
});

/** Runs the command that the page shows in a shell. */
async function ring(command: { textContent(): Promise<string | null> }) {
  const shell = Bun.spawn(["sh", "-c", (await command.textContent()) ?? ""], { stdout: "pipe", stderr: "pipe" });
  return JSON.parse(await new Response(shell.stdout).text());
}
