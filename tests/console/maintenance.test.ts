import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { WINDOWS, createWindow, openWindow, suppressedBy, windowFields } from "../support/maintenance.ts";
import { acceptedId, createWebhookWorkflow, ended } from "../support/management.ts";
import { call, createWorkflow, verb } from "../support/management-api.ts";
import { SUCCEEDS } from "../support/schedules.ts";

describe.skipIf(NO_CHROMIUM !== null)("maintenance windows in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("are created, hold runs, run them now, and end", async () => {
    const { bellhop } = console;
    const { ring } = await createWebhookWorkflow(bellhop, SUCCEEDS);
    const page = await console.pageAs("operator", { at: "/maintenance" });
    await page.getByText("No maintenance windows").waitFor();
    await page.getByRole("button", { name: "New window" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Failover");
    await dialog.getByLabel("Reason").fill("The storage cluster moves");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Choose workflows, tags or services").waitFor();
    await dialog.getByLabel("What happens to runs").selectOption("Ask: a person runs each");
    const services = dialog.getByRole("combobox", { name: "Services" });
    await services.fill("Checkout");
    await services.press("Enter");
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("link", { name: "Failover", exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);

    // A restarted service remembers no list of windows from before.
    const ids: string[] = [];
    await eventually("two runs to be held", async () => {
      ids.push(await acceptedId(await ring({ variables: { service: "checkout", at: crypto.randomUUID() } })));
      const held = await query(bellhop, "select id from executions where hold ->> '$.code' = 'maintenance'");
      return held.length >= 2;
    });
    await page.getByRole("link", { name: "Failover", exact: true }).click();
    await page.getByText("Asked a person").first().waitFor();
    await page.reload();
    await page.getByRole("region", { name: "Maintenance" }).getByText("Maintenance: Failover").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("row").getByRole("button", { name: "Run now" }).first().click();
    await page.getByText("The run was started.").first().waitFor();
    await page.getByRole("button", { name: "Run all" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run all" }).click();
    await page.getByText("run started.").or(page.getByText("runs started.")).first().waitFor();
    for (const id of ids) expect((await ended(bellhop, id)).status).toBe("succeeded");
    await page.getByRole("button", { name: "End now" }).click();
    await page.getByRole("button", { name: "End window" }).click();
    await page.getByText("Ended", { exact: true }).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("are not overwritten by a page that another person's change has made old", async () => {
    const { bellhop } = console;
    const window = await createWindow(bellhop, { services: ["checkout"] });
    const page = await console.pageAs("operator", { at: `/maintenance/${window.id}` });
    const change = (reason: string) =>
      call(bellhop, "PUT", `${WINDOWS}/${window.id}`, windowFields({ services: ["checkout"], reason }));
    const reasonNow = async () =>
      (await query(bellhop, "select reason from maintenance_windows where id = ?", [window.id]))[0];
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill("Mine");
    await change("Longer than planned");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Another person has changed this").waitFor();
    expect(await reasonNow()).toEqual({ reason: "Longer than planned" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    for (const [button, confirm, reason] of [
      ["End now", "End window", "Once more"],
      ["Delete", "Delete window", "And again"],
    ] as const) {
      await page.reload();
      await page.getByRole("button", { name: button }).waitFor();
      await change(reason);
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("button", { name: confirm }).click();
      await page.getByText("Another person has changed this").waitFor();
      await page.getByText(reason).first().waitFor();
      expect(await reasonNow()).toEqual({ reason });
    }
    expect(console.complaints().filter((one) => !one.includes("412"))).toEqual([]);
  });

  test("end at once, although the clock of the device is an hour ahead", async () => {
    const endsAt = new Date(Date.now() + 3 * 60 * 60_000).toISOString();
    const { id } = await createWindow(console.bellhop, { services: ["checkout"], endsAt });
    const page = await console.pageAs("operator", { at: null });
    await page.clock.setSystemTime(Date.now() + 60 * 60_000);
    await page.goto(`/maintenance/${id}`);
    await page.getByRole("button", { name: "End now" }).click();
    await page.getByRole("button", { name: "End window" }).click();
    await page.getByText("Ended", { exact: true }).waitFor();
  });

  test("are named before a person runs a workflow anyway, and on the page of a run that waits", async () => {
    const { bellhop } = console;
    const { id } = await createWorkflow(bellhop, { trigger: { type: "manual" }, definition: SUCCEEDS });
    await verb(bellhop, id, "publish");
    const page = await console.pageAs("operator", { at: "/maintenance?open=create", width: NARROW, dark: true });
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Everything stops");
    await dialog.getByRole("switch", { name: "Apply to all workflows" }).check();
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("link", { name: "Everything stops" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);

    await page.goto(`/workflows/${id}`);
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
    await page.getByText("It keeps events and schedules from running this workflow.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Run anyway" }).click();
    await page.waitForURL(/executions/u);

    const { ring } = await createWebhookWorkflow(bellhop, SUCCEEDS);
    const held = await eventually("a run to be held", async () => {
      const executionId = await acceptedId(await ring({ variables: { at: crypto.randomUUID() } }));
      const rows = await query(bellhop, "select id from executions where hold is not null and id = ?", [executionId]);
      return rows.length === 1 && executionId;
    });
    await page.goto(`/executions/${held}`);
    await page.getByText('the end of the maintenance window "Everything stops"').first().waitFor();
    await page.getByRole("button", { name: "Run now" }).click();
    expect((await ended(bellhop, held)).status).toBe("succeeded");
    expect(console.complaints().filter((one) => !one.includes("409"))).toEqual([]);
  });

  test("lead to the runs that wait for a person, and each run is offered once", async () => {
    const { bellhop } = console;
    const definition = { ...SUCCEEDS, concurrency: { mode: "queue", key: "{{webhook.service}}" } };
    const { workflowId, ring } = await createWebhookWorkflow(bellhop, definition);
    const start = async (service: string) =>
      acceptedId(await ring({ variables: { service, at: crypto.randomUUID() } }));
    const window = await openWindow(bellhop, { name: "Failover", workflowIds: [workflowId], mode: "ask" });
    const [payments] = [await start("payments"), await start("checkout")];
    await eventually("both runs", async () => (await suppressedBy(bellhop, window)).length === 2);
    const page = await console.pageAs("operator");
    const section = page.getByRole("region", { name: /^Waiting for a person to run them/u });
    await section.getByText("payments").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await section.getByRole("button", { name: "Run now" }).first().click();
    await page.getByText("The run was started.").first().waitFor();
    expect((await ended(bellhop, payments)).status).toBe("succeeded");
    await section.getByRole("link", { name: "Failover" }).click();
    const row = (service: string) => page.getByRole("row").filter({ hasText: service });
    await row("payments").getByText("succeeded").waitFor();
    expect(await row("payments").getByRole("button").count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await row("checkout").getByRole("button", { name: "Cancel run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await row("checkout").getByText("cancelled").waitFor();
    expect(await row("checkout").getByRole("button").count()).toBe(0);

    const fields = windowFields({ name: "Failover", workflowIds: [workflowId], mode: "skip" });
    expect((await call(bellhop, "PUT", `${WINDOWS}/${window.id}`, fields)).ok).toBe(true);
    const skipped = await eventually("a skipped run", async () => {
      await start("payments");
      return (await suppressedBy(bellhop, window)).find((run) => run.suppressed === "skipped");
    });
    await page.goto(`/executions/${skipped.id}`);
    await page.getByText("Key: payments").waitFor();
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByText("an earlier run").waitFor();
    await page.goto(`/executions/${skipped.id}`);
    await page.getByText("Retried:").waitFor();
    await page.getByRole("button", { name: "Retry" }).first().waitFor();
    expect(await page.getByRole("button", { name: "Run now" }).count()).toBe(0);
    expect(console.complaints().filter((one) => !one.includes("409"))).toEqual([]);
  });
});
