import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { ended, getExecution } from "../support/management.ts";
import { WorkingAgent, failure, x } from "../support/working-agent.ts";
import { edge, execute, publishWorkflow, script, scriptConnection, wholeDefinition } from "./executions-scene.ts";

const DELAY = { id: "wait", type: "delay", seconds: 3_600 };

describe.skipIf(NO_CHROMIUM !== null)("executions in the console", () => {
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
  const nodes = (page: Page) => page.getByRole("list", { name: "Steps" });
  const status = (page: Page) =>
    page.getByRole("status").filter({ hasText: /^Run (?:in progress|succeeded|failed|cancelled)/u });

  test("are shown live while an agent works, stage by stage up to the output", async () => {
    const { bellhop } = console;
    const definition = {
      nodes: [script("look", connectionId, { name: "Look around" }), script("repair", connectionId)],
      edges: [edge("look", "repair")],
    };
    const workflowId = await publishWorkflow(bellhop, "Look and repair", definition);
    agent.does(() => null);
    const id = await execute(bellhop, workflowId, { host: "web-1" });
    const page = await console.pageAs("operator", { at: `/executions/${id}` });
    await nodes(page)
      .getByRole("button", { name: /^Look around.*running/u })
      .waitFor();
    await page.getByRole("list", { name: "Stages" }).getByText("delivered").waitFor();
    expect(await page.title()).toBe("running: Look and repair · Bellhop");

    agent.does((job) => success(job, { exitCode: 0, stdout: "all is well\n", stderr: "" }));
    agent.finishesHeld();
    await status(page).filter({ hasText: "succeeded" }).waitFor();
    expect(await page.title()).toBe("succeeded: Look and repair · Bellhop");
    await nodes(page)
      .getByRole("button", { name: /^repair.*succeeded/u })
      .waitFor();
    // The graph's nodes can be focused and selected with the keyboard.
    await page.locator(".react-flow__node", { hasText: "Look around" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**?node=look");
    const detail = page.getByRole("region", { name: "Step Look around" });
    await detail.getByText("all is well").waitFor();
    for (const fold of ["Stages", "Details"]) await detail.getByText(fold, { exact: true }).click();
    expect(await detail.getByRole("list", { name: "Stages" }).textContent()).toMatch(
      /queued.*assigned.*delivered.*started.*finished.*reported/u,
    );
    await detail.getByRole("link", { name: "an agent" }).waitFor();

    // A warning about the step's templates is shown with the step.
    const warning = "{{inputs.host.name}} leads below a text.";
    await page.route(`**/api/v1/automation/executions/${id}`, async (route) => {
      const response = await route.fetch();
      const warned = `"nodeId":"look","warnings":${JSON.stringify([warning])}`;
      await route.fulfill({ response, body: (await response.text()).replace('"nodeId":"look"', warned) });
    });
    await page.reload();
    await detail.getByText(warning).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("show which iteration failed and why, and a retry resumes there", async () => {
    const { bellhop } = console;
    const { nodes: all, edges } = wholeDefinition(connectionId);
    const withoutHandler = {
      nodes: all.filter(({ id }) => id !== "handle" && id !== "page" && id !== "ask"),
      edges: edges.filter(({ from, to }) => ![from, to].some((id) => id === "handle" || id === "ask")),
    };
    const workflowId = await publishWorkflow(bellhop, "Restart all hosts", withoutHandler);
    agent.does((job) => (x(job) === "web-1" ? failure(job, "It did not come back.") : success(job)));
    const id = await execute(bellhop, workflowId, { hosts: ["web-0", "web-1"] });
    await ended(bellhop, id);
    const page = await console.pageAs("operator", { at: `/executions/${id}`, width: NARROW, height: 800 });
    const failed = page.getByRole("region", { name: "Step Restart nginx" });
    await failed.getByRole("heading", { name: "Restart nginx, item 2" }).waitFor();
    const banner = page.getByRole("alert").filter({ hasText: "Restart nginx, item 2 failed" });
    await banner.getByText("It did not come back.").waitFor();
    await banner.getByText("exit code 1").waitFor();
    await page.getByRole("button", { name: "Previous item of Each host" }).click();
    await nodes(page)
      .getByRole("button", { name: /^Restart nginx.*succeeded/u })
      .waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);

    agent.does((job) => success(job));
    await page.getByRole("button", { name: "Retry" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Kept: Check the health of the web servers, Is it bad?").waitFor();
    await dialog.getByText("An agent had already started Restart nginx.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("link", { name: "an earlier run" }).waitFor();
    await status(page).filter({ hasText: "succeeded" }).waitFor();
    expect(agent.given().filter((host) => host === "web-0").length).toBe(1);
    expect(console.complaints()).toEqual([]);
  });

  test("are approved with a comment by an operator, and a viewer can only read them", async () => {
    const { bellhop } = console;
    const workflowId = await publishWorkflow(bellhop, "Ask first", {
      nodes: [{ id: "ask", name: "May it?", type: "approval", message: "Fail over {{inputs.what}}?" }],
      edges: [],
    });
    const id = await execute(bellhop, workflowId, { what: "the database" });
    const viewer = await console.pageAs("viewer", { at: null });
    // The device's clock is an hour fast: durations use the service's clock.
    await viewer.addInitScript("const real = Date.now; Date.now = () => real() + 3_600_000;");
    await viewer.goto(`/executions/${id}`);
    await viewer.getByText("Your role cannot answer approvals.").waitFor();
    await viewer.getByText("Started just now").waitFor();
    expect(await viewer.locator("main").innerText()).not.toMatch(/\b1 h/u);
    expect(await viewer.getByRole("button", { name: /Approve|Reject|Cancel|Retry/u }).count()).toBe(0);

    const page = await console.pageAs("operator", { at: `/executions/${id}` });
    const question = page.getByRole("region", { name: "Approval of May it?" });
    await question.getByText("Fail over the database?").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await question.getByLabel("Comment (optional)").fill("The replica is up to date.");
    await question.getByRole("button", { name: "Approve" }).click();
    await status(page).filter({ hasText: "succeeded" }).waitFor();
    await status(viewer).filter({ hasText: "succeeded" }).waitFor();
    const { nodeRuns } = await getExecution(bellhop, id);
    expect(nodeRuns[0]?.output).toMatchObject({ decision: "approved", comment: "The replica is up to date." });
    await viewer.getByText(/^Approved by operator@example\.com on .+ UTC\.$/u).waitFor();
    await viewer.getByText("Comment: The replica is up to date.").waitFor();
    expect(await viewer.getByRole("button", { name: /Approve|Reject|Cancel|Retry/u }).count()).toBe(0);

    const another = await execute(bellhop, workflowId, { what: "the cache" });
    await page.goto(`${bellhop.url}/executions/${another}`);
    await question.getByLabel("Comment (optional)").fill("Not before six o'clock.");
    const [asked] = (await getExecution(bellhop, another)).nodeRuns;
    await bellhop.api("POST", `/api/v1/automation/executions/${another}/approve`, {
      nodeRunId: asked?.id,
      decision: "approved",
    });
    const late = page.getByRole("alert").filter({ hasText: "May it?: approved meanwhile by the bootstrap token" });
    await late.getByText("Not before six o'clock.").waitFor();
    await late.getByRole("button", { name: "Dismiss" }).click();
    await late.waitFor({ state: "detached" });
    expect(console.complaints()).toEqual([]);
  });

  test("cannot be approved by the person who started them: the reason replaces the buttons", async () => {
    const { bellhop } = console;
    const node = { id: "ask", name: "May it?", type: "approval", message: "Fail over?", by: "another" };
    const workflowId = await publishWorkflow(bellhop, "Ask another", { nodes: [node], edges: [] });
    const page = await console.pageAs("operator", { at: `/workflows/${workflowId}` });
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
    await page.waitForURL("**/executions/exe_*");
    const question = page.getByRole("region", { name: "Approval of May it?" });
    await question.getByText(/Waiting for someone's approval, by another person than \S+@\S+\./u).waitFor();
    await question.getByRole("button", { name: "Approve" }).click();
    await question.getByRole("alert").getByText("You started this execution").waitFor();
    expect(await question.getByRole("button").count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);

    const other = await console.pageAs("admin", { at: new URL(page.url()).pathname });
    await other.getByRole("region", { name: "Approval of May it?" }).getByRole("button", { name: "Approve" }).click();
    await status(page).filter({ hasText: "succeeded" }).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("show why they wait for an agent, and are cancelled after a confirmation", async () => {
    const { bellhop } = console;
    const nowhere = await scriptConnection(bellhop, "no-agents");
    const workflowId = await publishWorkflow(bellhop, "No agent", { nodes: [script("run", nowhere)], edges: [] });
    const id = await execute(bellhop, workflowId);
    const page = await console.pageAs("operator", { at: `/executions/${id}`, dark: true });
    await page
      .getByRole("alert")
      .getByText(
        "The pool no-agents has no agent yet. Create one in it and start it, or correct the connection's pool.",
      )
      .waitFor();
    expect(await page.getByRole("link", { name: "Open the pool no-agents" }).getAttribute("href")).toBe(
      "/pools/no-agents",
    );
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Keep running" }).click();
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await status(page).filter({ hasText: "cancelled" }).waitFor();
    await page.getByText("This run was cancelled").waitFor();
    await page.getByText("Cancelled by operator@example.com.").first().waitFor();
    await page.getByRole("button", { name: "Retry" }).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("that are cancelled show what a step had printed, as soon as its agent reports it", async () => {
    const { bellhop } = console;
    const workflowId = await publishWorkflow(bellhop, "Prints", { nodes: [script("print", connectionId)], edges: [] });
    agent.does(() => null);
    const id = await execute(bellhop, workflowId);
    const page = await console.pageAs("operator", { at: `/executions/${id}?node=print` });
    await page.getByRole("list", { name: "Stages" }).getByText("delivered").waitFor();
    await page.getByRole("button", { name: "Cancel run" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await page.getByText("Its output appears when its agent reports it.").waitFor();
    agent.does((job) => ({ ...success(job, { stdout: "so far\n", stderr: "" }), status: "cancelled" }));
    agent.finishesHeld();
    await page.getByRole("region", { name: "Step print" }).getByText("so far").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("are listed live, filtered by the URL, and the rows do not move while a person reads", async () => {
    const { bellhop } = console;
    const definition = { nodes: [DELAY], edges: [] };
    const workflowId = await publishWorkflow(bellhop, "Waits an hour", definition);
    await execute(bellhop, workflowId);
    const page = await console.pageAs("operator", { at: `/executions?workflowId=${workflowId}` });
    const rows = page.getByRole("row").filter({ hasText: "Waits an hour" });
    await rows.filter({ hasText: "waiting" }).waitFor();
    expect(await rows.count()).toBe(1);

    const second = await execute(bellhop, workflowId);
    await rows.nth(1).waitFor();
    await rows.first().hover();
    await execute(bellhop, workflowId);
    await page.getByRole("button", { name: "Show 1 new run" }).waitFor();
    expect(await rows.count()).toBe(2);
    await bellhop.api("POST", `/api/v1/automation/executions/${second}/cancel`);
    await rows.filter({ hasText: "cancelled" }).waitFor();
    await page.getByRole("button", { name: "Show 1 new run" }).click();
    await rows.nth(2).waitFor();
    expect(await axeProblems(page)).toEqual([]);

    await page.getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "cancelled" }).click();
    await page.waitForURL("**status=cancelled");
    await eventually("one row", async () => ((await rows.count()) === 1 ? true : null));
    await page.getByRole("link", { name: "Waits an hour" }).click();
    await page.waitForURL(`**/executions/${second}`);
    await page.goto(`/workflows/${workflowId}?tab=executions`);
    await page.getByRole("row").filter({ hasText: "waiting" }).nth(1).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("are listed in rows of one line that use a wide window, filtered by trigger and time", async () => {
    const { bellhop } = console;
    const definition = { nodes: [script("fail", connectionId)], edges: [] };
    const workflowId = await publishWorkflow(bellhop, "Fails with many words", definition);
    agent.does((job) => failure(job, "The script ended with exit code 1. ".repeat(20)));
    await ended(bellhop, await execute(bellhop, workflowId));
    const page = await console.pageAs("operator", { at: `/executions?workflowId=${workflowId}`, width: 1920 });
    const row = page.getByRole("row").filter({ hasText: "Fails with many words" });
    await row.waitFor();
    const box = await row.boundingBox();
    expect(box?.height).toBeLessThanOrEqual(37);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeGreaterThan(1_850);

    await page.getByRole("combobox", { name: "Trigger" }).click();
    await page.getByRole("option", { name: "Schedule" }).click();
    await page.getByText("No runs match").waitFor();
    await page.getByRole("combobox", { name: "Trigger" }).click();
    await page.getByRole("option", { name: "Manual" }).click();
    await page.getByRole("combobox", { name: "Started" }).click();
    await page.getByRole("option", { name: "Last 15 minutes" }).click();
    await page.waitForURL("**trigger=manual&last=15m");
    await row.getByRole("cell").last().click();
    await page.waitForURL("**/executions/exe_*");

    await page.setViewportSize({ width: NARROW, height: 844 });
    await page.goBack();
    await page.getByRole("listitem").filter({ hasText: "Fails with many words" }).waitFor();
    expect(await page.getByRole("combobox", { name: "Status" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Filters (3)" }).click();
    await page.getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "waiting" }).click();
    await page.getByText("No runs match").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
