import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { failingWorkflow, failureWorkflow, reported } from "../support/failure-workflows.ts";
import { executionsOf } from "../support/incidents.ts";
import { notificationReceiverSchema } from "../../schema/contract/notification-receiver.ts";
import { call, createWorkflow, dataOf } from "../support/management-api.ts";
import { getWorkflow } from "../support/schedules.ts";

describe.skipIf(NO_CHROMIUM !== null)("the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("makes a workflow that failed runs start, and offers what is known of the failure", async () => {
    await createWorkflow(console.bellhop, { tags: ["shop"] });
    const page = await console.pageAs("editor", { at: "/workflows/new" });
    await page.getByRole("button", { name: /^Failed run/u }).click();
    await page.getByText("Each failed run of another workflow starts this one").waitFor();
    await page.getByRole("combobox", { name: "Only workflows with a tag" }).fill("Sho");
    await page.getByRole("option", { name: "shop" }).click();
    await page.locator(".react-flow__node").getByText("when a run tagged shop fails").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    const id = /workflows\/(wf_[\w-]+)/u.exec(page.url())?.[1] ?? "";
    await eventually("the draft to be saved", async () => {
      const { trigger } = await getWorkflow(console.bellhop, id);
      return trigger.type === "failure" && trigger.tags?.join() === "shop";
    });
    await page.getByRole("button", { name: "Approval", exact: false }).first().click();
    const question = page.getByRole("textbox", { name: "Question" });
    await question.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("{{failed.");
    await page.getByRole("option", { name: /^failed\.error\.message/u }).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("leads from a failure workflow's run to the failed run", async () => {
    const report = await failureWorkflow(console.bellhop);
    const failing = await failingWorkflow(console.bellhop, { name: "Backup" });
    await call(console.bellhop, "POST", `/workflows/${failing}/execute`);
    await eventually("the failure", async () => (await executionsOf(console.bellhop, report)).length === 1);
    await reported(console.bellhop);
    const [run] = await executionsOf(console.bellhop, report);
    const [failed] = await executionsOf(console.bellhop, failing);
    const page = await console.pageAs("viewer", { at: `/executions/${run?.id}` });
    await page.getByRole("link", { name: "Failed run of Backup" }).click();
    await page.waitForURL(`**/executions/${failed?.id}`);
    await page.goto(`${console.bellhop.url}/executions?trigger=failure`);
    await page.getByText("Failed run of Backup").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("shows on a workflow's page how it goes through items, and leads to what reports and follows its failures", async () => {
    const { bellhop } = console;
    const report = await failureWorkflow(bellhop, { tags: ["shop"] }, { name: "Page the shop" });
    const body = { logic: "all", conditions: [{ field: "foreach.failed", operator: "equals", value: 0 }] };
    const each = { id: "each", type: "forEach", items: "{{webhook.hosts}}", batchSize: 5, maxFailures: 1, check: body };
    const inner = { nodes: [{ id: "rest", type: "delay", seconds: 1 }], edges: [] };
    const definition = { nodes: [{ ...each, body: inner }], edges: [] };
    const { id } = await createWorkflow(bellhop, { name: "Restarts", tags: ["shop"], definition });
    const to = { name: "Mail", type: "email", to: ["ops@example.com"] };
    const receiver = await call(bellhop, "POST", "/notification-receivers", to);
    const receivers = [(await dataOf(receiver, 201, notificationReceiverSchema)).id];
    for (const [name, tags] of [
      ["Shop failures", ["shop"]],
      ["Other failures", ["other"]],
    ] as const) {
      const rule = { name, on: "run_failed", scope: { tags }, receivers };
      expect((await call(bellhop, "POST", "/notification-rules", rule)).status).toBe(201);
    }
    const page = await console.pageAs("viewer", { at: `/workflows/${id}` });
    await page.getByText("batches of 5 · allowed failures: 1 · a further batch only if foreach.failed is 0").waitFor();
    await page.getByRole("link", { name: "Shop failures" }).waitFor();
    expect(await page.getByRole("link", { name: "Other failures" }).count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "starts Page the shop" }).click();
    await page.waitForURL(`**/workflows/${report}`);
    await page.getByText("starts no other workflow").waitFor();
    await page.getByRole("link", { name: "no rule" }).click();
    await page.waitForURL("**/settings/notifications");
    expect(console.complaints()).toEqual([]);
  });
});
