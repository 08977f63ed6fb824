import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { ended } from "../support/management.ts";
import { WorkingAgent, failure, x } from "../support/working-agent.ts";
import { edge, execute, publishWorkflow, script, scriptConnection } from "./executions-scene.ts";

const WHY = "is down: orders-database-primary.eu-central-1.internal is silent";

describe.skipIf(NO_CHROMIUM !== null)("the items of a forEach", () => {
  let console: ConsoleUnderTest;
  let agent: WorkingAgent;
  beforeAll(async () => {
    console = await startConsole();
    agent = await WorkingAgent.start(console.bellhop, "web");
  });
  afterAll(async () => {
    await agent.stop();
    await console.stop();
  });

  test("are a table with item, status, duration and error, counted from 1, and keys lead from failure to failure", async () => {
    const { bellhop } = console;
    const connectionId = await scriptConnection(bellhop, "web");
    const restart = script("restart", connectionId, {
      name: "Restart it",
      params: { script: "true", env: { X: "{{foreach.item.name}}" } },
    });
    const body = { nodes: [restart, script("verify", connectionId)], edges: [edge("restart", "verify")] };
    const loop = { id: "hosts", name: "Each host", type: "forEach", items: "{{inputs.hosts}}", concurrency: 6, body };
    const workflowId = await publishWorkflow(bellhop, "Restart the hosts", { nodes: [loop], edges: [] });
    agent.does((job) => (["web-2", "web-5"].includes(x(job)) ? failure(job, `${x(job)} ${WHY}`) : success(job)));
    const hosts = [1, 2, 3, 4, 5, 6].map((number) => ({ name: `web-${number}` }));
    const id = await execute(bellhop, workflowId, { hosts });
    await ended(bellhop, id);

    const page = await console.pageAs("viewer", { at: `/executions/${id}?node=hosts` });
    const table = page.getByRole("table", { name: "Items" });
    await table.waitFor();
    const rows = table.getByRole("row");
    expect(await rows.count()).toBe(7);
    expect(await rows.nth(2).innerText()).toMatch(
      /^2\s+\{"name":"web-2"\}\s+web-2 is down: orders-\S+ is silent\s+failed\s+\d+ m?s$/u,
    );
    const widths = `[...document.querySelectorAll('[aria-label="Items"][tabindex]')].map((box) => box.scrollWidth - box.clientWidth)`;
    expect(await page.evaluate(widths)).toEqual([0]);
    await page.getByRole("button", { name: "Failed only (2 of 6)" }).click();
    expect(await rows.count()).toBe(3);
    expect(await axeProblems(page)).toEqual([]);

    const heading = (item: number) => page.getByRole("heading", { name: `Restart it, item ${item}` });
    // The first failed item is shown already.
    for (const [key, item] of [
      ["n", 5],
      ["n", 2],
      ["Shift+N", 5],
    ] as const) {
      await page.keyboard.press(key);
      await heading(item).waitFor();
    }
    await page.waitForURL("**node=restart&iteration=4");
    await page.getByRole("button", { name: "Next failed" }).click();
    await heading(2).waitFor();
    await page.getByRole("combobox", { name: "Item of Each host" }).click();
    await page.getByRole("option", { name: "Item 1: succeeded" }).waitFor();

    const narrow = await console.pageAs("viewer", { at: `/executions/${id}?node=hosts`, width: NARROW, height: 844 });
    await narrow.getByText("Failed only (2 of 6)").waitFor();
    expect(await narrow.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(narrow)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("that failed or were not started are counted in the banner and below the loop", async () => {
    const { bellhop } = console;
    const connectionId = await scriptConnection(bellhop, "web");
    const restart = script("restart", connectionId, { params: { script: "true", env: { X: "{{foreach.item}}" } } });
    const loop = { id: "hosts", name: "Each host", type: "forEach", items: "{{inputs.hosts}}", batchSize: 1 };
    const definition = { nodes: [{ ...loop, body: { nodes: [restart], edges: [] } }], edges: [] };
    const workflowId = await publishWorkflow(bellhop, "Restart one by one", definition);
    agent.does((job) => (x(job) === "web-2" ? failure(job, "web-2 is down") : success(job)));
    const id = await execute(bellhop, workflowId, { hosts: ["web-1", "web-2", "web-3", "web-4"] });
    await ended(bellhop, id);
    const page = await console.pageAs("viewer", { at: `/executions/${id}` });
    const banner = page.getByRole("alert").filter({ hasText: "restart, item 2 failed" });
    await banner.getByText("Each host: 1 of 4 items failed, 2 not started.").waitFor();
    await page.getByRole("list", { name: "Steps" }).getByText("2 not started", { exact: true }).waitFor();
    await page.goto(`${new URL(page.url()).origin}/executions/${id}?node=hosts`);
    const table = page.getByRole("table", { name: "Items" });
    await table.getByRole("columnheader", { name: "Batch" }).waitFor();
    expect(await table.getByRole("row").nth(2).innerText()).toMatch(/^2\s+2\s+web-2\s+web-2 is down\s+failed/u);
  });
});
