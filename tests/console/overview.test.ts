import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import { testInFull } from "../support/in-full.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { call, createAgent, createConnection, createWorkflow, verb } from "../support/management-api.ts";
import { SUCCEEDS, createSchedule, getWorkflow, scriptGraph, tickWhenDue } from "../support/schedules.ts";
import { WorkingAgent, failure } from "../support/working-agent.ts";

/** The limit for the scripts of the first page after signing in (docs/design/people.md#console). */
const SCRIPTS_MAX_BYTES = 250 * 1_024;

describe.skipIf(NO_CHROMIUM !== null)("the overview", () => {
  let console: ConsoleUnderTest;
  let agent: WorkingAgent | undefined;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(async () => {
    await agent?.stop();
    await console.stop();
  });
  const section = (page: Page, name: string | RegExp) => page.getByRole("region", { name });
  const live = (page: Page) => page.getByText("Live", { exact: true }).waitFor();
  const execute = (id: string) => call(console.bellhop, "POST", `/workflows/${id}/execute`, {});

  testInFull("of a new deployment lists the first steps, and ticks those that are done", async () => {
    const page = await console.pageAs("admin", { width: NARROW });
    const steps = section(page, "First steps");
    await steps.getByRole("link", { name: "Create an agent" }).waitFor();
    expect(await steps.getByRole("link").count()).toBe(3);
    expect(await section(page, /Running now/u).count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    // A role without the permission sees whom to ask.
    const viewer = await console.pageAs("viewer");
    await section(viewer, "First steps").getByText("ask an administrator").waitFor();
    expect(await section(viewer, "First steps").getByRole("link").count()).toBe(0);
    await createAgent(console.bellhop, { name: "first agent" });
    await page.reload();
    await steps.getByText("(done)").waitFor();
    expect(await steps.getByRole("listitem").filter({ hasText: "Create an agent (done)" }).count()).toBe(1);
    expect(await steps.getByRole("link").count()).toBe(2);
    expect(console.complaints()).toEqual([]);
  });

  test("shows running and failed executions live, and figures of the last day", async () => {
    const { bellhop } = console;
    agent = await WorkingAgent.start(bellhop, "web");
    agent.does(() => null);
    const { id: connectionId } = await createConnection(bellhop, { poolId: "web" });
    const node = { id: "restart", type: "action", action: "script.bash", connectionId, params: { script: "true" } };
    const workflow = await createWorkflow(bellhop, {
      name: "Restart the web server",
      trigger: { type: "manual" },
      definition: { nodes: [node], edges: [] },
    });
    await verb(bellhop, workflow.id, "publish");
    const page = await console.pageAs("operator");
    await live(page);
    const [running, failed] = [section(page, /^Running now/u), section(page, /^Failed in the last day/u)];
    await running.getByText("Nothing is running.").waitFor();
    await execute(workflow.id);
    await running.getByRole("heading", { name: "Running now: 1" }).waitFor();
    await running.getByText("restart", { exact: true }).waitFor();
    agent.does((job) => failure(job, "Unit nginx.service not found."));
    agent.finishesHeld();
    await failed.getByText("Unit nginx.service not found.").waitFor();
    await running.getByText("Nothing is running.").waitFor();
    agent.does(success);
    await execute(workflow.id);
    await failed.getByRole("link", { name: "Restart the web server" }).click();
    await page.waitForURL("**/executions/exe_*");
    await page.goBack();
    // Figures are read once a minute: counting the day's executions after every change would cost too much.
    await page.reload();
    const outcomes = section(page, "Executions of the last 24 hours");
    await outcomes.getByText("1 failed").waitFor();
    await outcomes.getByText("Show as table").click();
    const hours = outcomes.getByRole("table").getByRole("row");
    expect(await hours.count()).toBe(25);
    expect(await hours.first().textContent()).toBe("Timesucceededfailedcancelledrunning");
    await section(page, "Dispatch latency of the last 24 hours")
      .getByRole("row", { name: /queued to started/u })
      .waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("has a banner for a workflow that the service switched off, until a person activates it again", async () => {
    const { bellhop } = console;
    const graph = await scriptGraph(bellhop);
    const { id } = await createSchedule(bellhop, {}, graph.definition);
    await call(bellhop, "POST", `/connections/${graph.connectionId}/disable`);
    const editor = await console.pageAs("editor");
    await live(editor);
    // The fifth failure switches the workflow off, and the banner appears without a reload.
    for (let time = 0; time < 5; time += 1) await tickWhenDue(bellhop, id);
    const banner = editor.getByRole("alert").filter({ hasText: "5 scheduled runs in a row failed" });
    await banner.waitFor();
    const viewer = await console.pageAs("viewer");
    await viewer.getByText("5 scheduled runs in a row failed").waitFor();
    expect(await viewer.getByRole("button", { name: /^Activate/u }).count()).toBe(0);
    // Another person changed the workflow first: the page says so, and the next attempt succeeds.
    const { name, trigger } = await getWorkflow(bellhop, id);
    const renamed = { name: `${name}, renamed`, trigger, definition: SUCCEEDS };
    expect((await call(bellhop, "PUT", `/workflows/${id}`, renamed)).status).toBe(200);
    await banner.getByRole("button", { name: `Activate ${name} again` }).click();
    await editor.getByText(/Another person (?:has )?changed this/u).waitFor();
    expect((await getWorkflow(bellhop, id)).active).toBe(false);
    await banner.getByRole("button", { name: `Activate ${name}, renamed again` }).click();
    await banner.waitFor({ state: "detached" });
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true, autoDisabledAt: null });
    expect(console.complaints()).toEqual([]);
  });

  test("shows problems: connections without credentials, disabled agents, and why jobs wait", async () => {
    const { bellhop } = console;
    const { id: lonely } = await createConnection(bellhop, { name: "lonely", poolId: "empty" });
    const config = { host: "bastion", username: "ops", authMethod: "password" };
    await createConnection(bellhop, { name: "a bastion", type: "ssh", poolId: "empty", config });
    const { agent: disabled } = await createAgent(bellhop);
    await call(bellhop, "POST", `/agents/${disabled.id}/disable`);
    const node = {
      id: "wait",
      type: "action",
      action: "script.bash",
      connectionId: lonely,
      params: { script: "true" },
    };
    const { id } = await createWorkflow(bellhop, {
      trigger: { type: "manual" },
      definition: { nodes: [node], edges: [] },
    });
    await verb(bellhop, id, "publish");
    await execute(id);
    const page = await console.pageAs("viewer", { width: NARROW, dark: true });
    await page.getByRole("alert").getByRole("link", { name: "a bastion" }).waitFor();
    const pools = section(page, "Pools");
    await pools.getByText("Reason for waiting: the pool has no agent.").waitFor();
    await pools.getByText("1 job queued").waitFor();
    await section(page, /^Running now/u)
      .getByText("The pool empty has no agent yet")
      .waitFor();
    const counts = section(page, "Agents").getByRole("definition");
    await counts.first().waitFor();
    expect((await counts.allTextContents()).at(3)).toBe("1");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("stays below the limit for scripts with all its sections", async () => {
    const page = await console.pageAs("viewer", { at: null });
    const scripts: Promise<[name: string, gzipped: number]>[] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.endsWith(".js")) return;
      scripts.push(response.body().then((body) => [pathname, Bun.gzipSync(new Uint8Array(body)).length]));
    });
    await page.goto("/");
    // The figures come last, with the last request.
    await section(page, "Executions of the last 24 hours").getByText("6 failed").waitFor();
    const sizes = await Promise.all(scripts);
    expect(sizes.map(([name]) => name)).toContainEqual(expect.stringMatching(/\/overview-/u));
    expect(sizes.reduce((sum, [, gzipped]) => sum + gzipped, 0)).toBeLessThan(SCRIPTS_MAX_BYTES);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
