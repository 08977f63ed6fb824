import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Request } from "playwright-core";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { testInFull } from "../support/in-full.ts";
import { call, createAgent, createConnection, createWorkflow } from "../support/management-api.ts";
import { SUCCEEDS, createSchedule, getWorkflow, scriptGraph, tickWhenDue } from "../support/schedules.ts";
import { live, overviewScene, section } from "./overview-scene.ts";
import { executionOf } from "../support/signed-in-people.ts";
import { WorkingAgent, failure } from "../support/working-agent.ts";

/** The limit for the scripts of the first page after signing in (docs/design/people.md#console). */
const SCRIPTS_MAX_BYTES = 250 * 1_024;
const MINUTE_MS = 60_000;

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
  const { execute, published, asksFor, fail } = overviewScene(() => console.bellhop);

  testInFull("of a new deployment says that nothing needs the person, with a line for each missing part", async () => {
    const page = await console.pageAs("admin", { width: NARROW });
    await page.getByText("Nothing needs your attention.").waitFor();
    const hints = section(page, "Set-up").getByRole("listitem");
    // Without the guide, whose steps are these lines.
    await page.getByRole("button", { name: "Hide the guide" }).click();
    await hints.first().waitFor();
    expect(await section(page, "Set-up").getByRole("link").allTextContents()).toEqual([
      "Create an agent",
      "Create a connection",
      "Create a workflow",
    ]);
    expect(await section(page, /./u).count()).toBe(1);
    expect(await axeProblems(page)).toEqual([]);
    // A role without the permission sees whom to ask.
    const viewer = await console.pageAs("viewer");
    await section(viewer, "Set-up").getByText("Ask an administrator.").waitFor();
    // A dismissed line stays away for this person, a done one for everyone.
    await hints.getByRole("button", { name: "Dismiss: Create a workflow" }).click();
    await createAgent(console.bellhop, { name: "first agent" });
    await page.reload();
    await hints.getByText("Create a connection").waitFor();
    expect(await hints.count()).toBe(1);
    await viewer.reload();
    await section(viewer, "Set-up").getByText("Create a workflow").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("shows running and failed executions live, and figures of the last day", async () => {
    const { bellhop } = console;
    agent = await WorkingAgent.start(bellhop, "web");
    agent.does(() => null);
    const { id: connectionId } = await createConnection(bellhop, { poolId: "web" });
    const params = { script: "true" };
    const id = await published("Restart the web server", {
      id: "restart",
      type: "action",
      action: "script.bash",
      connectionId,
      params,
    });
    const page = await console.pageAs("operator");
    await live(page);
    const [running, failed] = [section(page, /^Running now/u), section(page, /^Workflows that failed/u)];
    await execute(id);
    await running.getByRole("heading", { name: "Running now: 1" }).waitFor();
    await running.getByRole("link", { name: "Restart the web server" }).waitFor();
    agent.does((job) => failure(job, "Unit nginx.service not found."));
    agent.finishesHeld();
    await failed.getByText("Unit nginx.service not found.").waitFor();
    // Nothing runs, so its section takes no room.
    await running.waitFor({ state: "detached" });
    agent.does(success);
    await execute(id);
    await failed.getByRole("link", { name: "Restart the web server" }).click();
    await page.waitForURL("**/executions/exe_*");
    await page.goBack();
    // Figures are read every two minutes: counting the day's executions after every change would cost too much.
    await page.reload();
    const outcomes = section(page, "Executions of the last 24 hours");
    await outcomes.getByText("1 failed").waitFor();
    await outcomes.getByText("Show as table").click();
    const hours = outcomes.getByRole("table").getByRole("row");
    expect(await hours.count()).toBe(25);
    expect(await hours.first().textContent()).toBe("Timesucceededfailedcancelledrunning");
    await section(page, "Time until an agent starts a job, last 24 hours")
      .getByRole("row", { name: /Until it starts/u })
      .waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("has every workflow that failed in the last day, and links to the same executions", async () => {
    const { bellhop } = console;
    const [rare, frequent] = [
      await createWorkflow(bellhop, { name: "Renew the edge certificates" }),
      await createWorkflow(bellhop, { name: "Ping every host" }),
    ];
    const now = Date.now();
    await fail(rare.id, now - 20 * 60 * MINUTE_MS, 14);
    await fail(rare.id, now - 30 * 60 * MINUTE_MS, 3);
    await fail(frequent.id, now - 60 * MINUTE_MS, 130);
    const page = await console.pageAs("viewer");
    const failed = section(page, /^Workflows that failed/u);
    await failed.getByText("failed 130 times").waitFor();
    const all = new URL(
      (await failed.getByRole("link", { name: "All failed executions" }).getAttribute("href")) ?? "",
      page.url(),
    );
    expect(Math.abs(Date.parse(all.searchParams.get("from") ?? "") - (now - 24 * 60 * MINUTE_MS))).toBeLessThan(
      5 * MINUTE_MS,
    );
    expect(all.searchParams.get("status")).toBe("failed");
    await failed.getByRole("link", { name: "failed 14 times" }).click();
    await page.waitForURL(/\/executions\?/u);
    const shown = page.getByRole("link", { name: "Renew the edge certificates" });
    await eventually("the executions of the last day", async () => (await shown.count()) === 14);
    expect(console.complaints()).toEqual([]);
  });

  test("has a workflow that the service switched off, until a person activates it again", async () => {
    const { bellhop } = console;
    const graph = await scriptGraph(bellhop);
    const { id } = await createSchedule(bellhop, {}, graph.definition);
    await call(bellhop, "POST", `/connections/${graph.connectionId}/disable`);
    const editor = await console.pageAs("editor");
    await live(editor);
    // The fifth failure switches the workflow off.
    for (let time = 0; time < 5; time += 1) await tickWhenDue(bellhop, id);
    await editor.reload();
    const switchedOff = section(editor, /^Workflows switched off/u);
    await switchedOff.getByText("5 scheduled runs in a row failed").waitFor();
    const viewer = await console.pageAs("viewer");
    await viewer.getByText("5 scheduled runs in a row failed").waitFor();
    expect(await viewer.getByRole("button", { name: /^Activate/u }).count()).toBe(0);
    // Another person changed the workflow first: the page says so, and the next attempt succeeds.
    const { name, trigger } = await getWorkflow(bellhop, id);
    const renamed = { name: `${name}, renamed`, trigger, definition: SUCCEEDS };
    expect((await call(bellhop, "PUT", `/workflows/${id}`, renamed)).status).toBe(200);
    await switchedOff.getByRole("button", { name: `Activate ${name} again` }).click();
    await editor.getByText(/Another person (?:has )?changed this/u).waitFor();
    expect((await getWorkflow(bellhop, id)).active).toBe(false);
    await switchedOff.getByRole("button", { name: `Activate ${name}, renamed again` }).click();
    await switchedOff.waitFor({ state: "detached" });
    expect(await getWorkflow(bellhop, id)).toMatchObject({ active: true, autoDisabledAt: null });
    expect(console.complaints()).toEqual([]);
  });

  test("has its sections in the order of their urgency", async () => {
    const { bellhop } = console;
    const { id: lonely } = await createConnection(bellhop, { name: "lonely", poolId: "empty" });
    const config = { host: "bastion", username: "ops", authMethod: "password" };
    await createConnection(bellhop, { name: "a bastion", type: "ssh", poolId: "empty", config });
    const { agent: gone } = await createAgent(bellhop, { name: "gone" });
    const params = { script: "true" };
    const node = { id: "wait", name: "Vacuum", type: "action", action: "script.bash", connectionId: lonely, params };
    const waiting = await execute(await published("Vacuum the database", node));
    await execute(await asksFor("Ask", "Go on?"));
    await call(bellhop, "POST", "/incidents", { title: "Checkout is down", severity: "critical", service: "checkout" });
    const anHourAgo = Date.now() - 60 * MINUTE_MS;
    await fail((await createWorkflow(bellhop, { name: "Failing" })).id, anHourAgo, 1);
    await query(bellhop, "update agents set last_heartbeat_at = ? where id = ?", [anHourAgo, gone.id]);
    await eventually("the job", async () => {
      const jobs = await query(bellhop, "update jobs set queued_at = ? where execution_id = ? returning id", [
        anHourAgo,
        waiting,
      ]);
      return jobs.length === 1;
    });
    const page = await console.pageAs("viewer", { width: NARROW, dark: true });
    await section(page, /^Jobs waiting/u)
      .getByText("The pool empty has no agent yet")
      .waitFor();
    await section(page, /^Critical and high/u)
      .getByRole("link", { name: "Checkout is down" })
      .waitFor();
    await section(page, /^Agents offline/u)
      .getByRole("link", { name: "gone" })
      .waitFor();
    // The oldest first: the execution of the job began before the one that asks.
    expect(
      await section(page, /^Running now/u)
        .getByRole("link")
        .allTextContents(),
    ).toEqual(["All running executions", "Vacuum the database", "Ask"]);
    await section(page, "Set-up").getByText("a bastion lacks its credential").waitFor();
    const headings = page.getByRole("heading", { level: 2 });
    expect((await headings.allTextContents()).map((heading) => heading.replace(/: .*/u, ""))).toEqual([
      "Waiting for approval",
      "Critical and high incidents",
      "Jobs waiting over 5 minutes",
      "Workflows that failed in the last day",
      "Agents offline or degraded",
      "Running now",
      "Executions of the last 24 hours",
      "Time until an agent starts a job, last 24 hours",
      "Agents",
      "Set-up",
    ]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("makes at most six calls in a minute, also while executions start and end", async () => {
    const id = await published("Nothing to do", SUCCEEDS.nodes[0] ?? {});
    const page = await console.pageAs("operator", { at: null });
    await page.clock.install();
    const asked: string[] = [];
    let unanswered = 0;
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith("/api/")) return;
      asked.push(pathname);
      // A stream has no end.
      if (!pathname.endsWith("/events")) unanswered += 1;
    });
    const answered = (request: Request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/api/") && !pathname.endsWith("/events")) unanswered -= 1;
    };
    page.on("requestfinished", answered);
    page.on("requestfailed", answered);
    await page.goto("/");
    await section(page, /^Agents$/u).waitFor();
    await live(page);
    /** Passes page time, and lets each request be answered in it. */
    const pass = async (seconds: number, each: (second: number) => Promise<void> = async () => {}) => {
      for (let second = 0; second < seconds; second += 1) {
        await each(second);
        await page.clock.runFor(1_000);
        await eventually("all answers", async () => unanswered === 0);
      }
    };
    const start = async (second: number) => {
      if (second % 10 !== 0) return;
      const executionId = await execute(id);
      await eventually("its end", async () => (await executionOf(console.bellhop, executionId)).status !== "running");
    };
    await pass(60);
    for (const happens of [undefined, start]) {
      asked.length = 0;
      await pass(60, happens);
      expect(asked.filter((path) => path.endsWith("/overview")).length).toBeGreaterThanOrEqual(1);
      expect({ asked, isFew: asked.length <= 6 }).toEqual({ asked, isFew: true });
    }
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
    await section(page, "Executions of the last 24 hours").waitFor();
    const sizes = await Promise.all(scripts);
    expect(sizes.map(([name]) => name)).toContainEqual(expect.stringMatching(/\/overview-/u));
    expect(sizes.reduce((sum, [, gzipped]) => sum + gzipped, 0)).toBeLessThan(SCRIPTS_MAX_BYTES);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
