import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { success } from "../support/agent-client.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { ended } from "../support/management.ts";
import { WorkingAgent } from "../support/working-agent.ts";
import { edge, execute, publishWorkflow, script, scriptConnection } from "./executions-scene.ts";

describe.skipIf(NO_CHROMIUM !== null)("the page of an unfinished execution", () => {
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

  test("says that it is in progress while a step waits, and its age is its duration without the last seconds", async () => {
    const { bellhop } = console;
    const ask = { id: "ask", type: "approval", message: "Restart it?" };
    const id = await execute(bellhop, await publishWorkflow(bellhop, "Asks", { nodes: [ask], edges: [] }));
    await query(bellhop, "update executions set started_at = started_at - 45000 where id = ?", [id]);
    const page = await console.pageAs("viewer", { at: `/executions/${id}` });
    await page.getByText(/^In progress for \d/u).waitFor();
    const shown = async () => {
      const [, age, took] =
        /Started (\d+) seconds ago.*In progress for (\d+) s/su.exec(await page.innerText("main")) ?? [];
      return { age: Number(age), took: Number(took) };
    };
    await eventually("the age to follow the duration", async () => {
      const { age, took } = await shown();
      return took >= 45 && age === Math.floor(took / 10) * 10;
    });
    expect(await page.getByText(/^Running for/u).count()).toBe(0);
    await page.close();
  });

  test("that a newer run replaces says so while its action runs, and links to the newer run", async () => {
    const { bellhop } = console;
    const connectionId = await scriptConnection(bellhop, "web");
    const nodes = [script("work", connectionId), script("then", connectionId)];
    const concurrency = { mode: "cancelPrevious" };
    const workflowId = await publishWorkflow(bellhop, "One", { nodes, edges: [edge("work", "then")], concurrency });
    agent.does(() => null);
    const first = await execute(bellhop, workflowId);
    await eventually("the action to run", () => Promise.resolve(agent.jobs.length === 1));
    const page = await console.pageAs("viewer", { at: `/executions/${first}` });
    await page.getByText(/^Running for/u).waitFor();
    const second = await execute(bellhop, workflowId);
    const notice = page.getByRole("alert").filter({ hasText: "A newer run takes its place" });
    await notice.getByText(/^No further step begins\./u).waitFor();
    await notice.getByRole("link", { name: "Open the newer run" }).click();
    await page.waitForURL(`**/executions/${second}`);
    await page.goBack();
    agent.does((job) => success(job));
    agent.finishesHeld();
    await notice.waitFor({ state: "detached" });
    await ended(bellhop, second);
    expect(console.complaints()).toEqual([]);
    await page.close();
  });
});
