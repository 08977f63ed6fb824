import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { ended } from "../support/management.ts";
import { WorkingAgent, failure, x } from "../support/working-agent.ts";
import { edge, execute, publishWorkflow, script, scriptConnection, wholeDefinition } from "./executions-scene.ts";

describe.skipIf(NO_CHROMIUM !== null)("the timeline of an execution", () => {
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

  test("has a bar for each step and item, and selects, opens, zooms and pans by pointer and keys", async () => {
    const workflowId = await publishWorkflow(console.bellhop, "Restart all hosts", wholeDefinition(connectionId));
    agent.does((job) => (x(job) === "web-1" ? failure(job, "It did not come back.") : success(job)));
    const id = await execute(console.bellhop, workflowId, { hosts: ["web-0", "web-1"] });
    await ended(console.bellhop, id);
    const page = await console.pageAs("operator", { at: `/executions/${id}` });
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.waitForURL("**?tab=timeline");
    const timeline = page.getByRole("region", { name: "Timeline of the steps" });
    const rows = timeline.getByRole("list", { name: "Steps by time" });
    const row = (name: RegExp) => rows.getByRole("button", { name });
    await row(/^Check the health of the web servers: succeeded, .*on the critical path$/u).click();
    await page.waitForURL("**?tab=timeline&node=check");
    await page.getByRole("region", { name: "Step Check the health of the web servers" }).waitFor();
    await row(/^May it go on\?: skipped$/u).waitFor();

    await row(/^Item 2 of Each host: failed/u).click();
    await page.getByRole("heading", { name: "Restart nginx, item 2" }).waitFor();
    expect(await row(/^Item 2 of Each host/u).getAttribute("aria-pressed")).toBe("false");
    expect(await row(/^Restart nginx: failed/u).getAttribute("aria-pressed")).toBe("true");
    await rows.getByRole("button", { name: "Steps of Item 2 of Each host" }).click();
    expect(await row(/^Restart nginx/u).count()).toBe(0);
    await rows.getByRole("button", { name: "Steps of Each host", exact: true }).press("Enter");
    expect(await row(/^Item/u).count()).toBe(0);

    const bar = row(/^Each host/u).locator("[data-kind]");
    const whole = await bar.boundingBox();
    const width = async () => (await bar.boundingBox())?.width ?? 0;
    await page.keyboard.press("+");
    await eventually("a longer bar", async () => (await width()) > (whole?.width ?? 0) * 1.5);
    await page.keyboard.press("0");
    await eventually("the whole", async () => (await bar.boundingBox())?.width === whole?.width);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.search.includes("node=restart"));

    await timeline.getByRole("button", { name: "Zoom in" }).click();
    const zoomed = await bar.boundingBox();
    const start = { x: (zoomed?.x ?? 0) + 40, y: (zoomed?.y ?? 0) + 2 };
    const before = page.url();
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(start.x + 60, start.y, { steps: 4 });
    await page.mouse.up();
    await eventually("the bar to move", async () => ((await bar.boundingBox())?.x ?? 0) !== zoomed?.x);
    expect(page.url()).toBe(before);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    await eventually("a longer bar", async () => (await width()) > (zoomed?.width ?? 0) * 1.5);
    await timeline.getByRole("button", { name: "Show the whole run" }).click();
    await eventually("the whole", async () => (await bar.boundingBox())?.width === whole?.width);

    await page.reload();
    await timeline.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    const narrow = await console.pageAs("viewer", {
      at: new URL(page.url()).pathname + "?tab=timeline",
      width: NARROW,
      height: 844,
    });
    await narrow.getByRole("region", { name: "Timeline of the steps" }).waitFor();
    expect(await narrow.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(narrow)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("grows while the execution runs, and shows waiting apart from running", async () => {
    const definition = {
      nodes: [
        script("look", connectionId, { name: "Look around" }),
        { id: "ask", name: "May it?", type: "approval", message: "Go on?" },
        script("act", connectionId),
      ],
      edges: [edge("look", "ask"), edge("ask", "act", "approved")],
    };
    const workflowId = await publishWorkflow(console.bellhop, "Look and ask", definition);
    agent.does(() => null);
    const id = await execute(console.bellhop, workflowId);
    const page = await console.pageAs("operator", { at: `/executions/${id}?tab=timeline` });
    const row = (name: RegExp) => page.getByRole("list", { name: "Steps by time" }).getByRole("button", { name });
    await row(/^Look around: running, .*ran .*on the critical path$/u).waitFor();
    await row(/^May it\?: pending, not reached$/u).waitFor();
    agent.does((job) => success(job));
    agent.finishesHeld();
    await row(/^May it\?: waiting, waited \d+ m?s, on the critical path$/u).waitFor();
    expect(
      await row(/^May it/u)
        .locator("[data-kind]")
        .getAttribute("data-kind"),
    ).toBe("waiting");
    await page.getByRole("button", { name: "Approve" }).click();
    await row(/^act: succeeded/u).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("of many items has few rows in the page, and all of them by scrolling", async () => {
    const body = {
      nodes: [
        {
          id: "pause",
          type: "condition",
          when: { logic: "all", conditions: [{ field: "foreach.index", operator: "exists" }] },
        },
      ],
      edges: [],
    };
    const loop = { id: "hosts", name: "Each host", type: "forEach", items: "{{inputs.hosts}}", concurrency: 50, body };
    const workflowId = await publishWorkflow(console.bellhop, "Many", { nodes: [loop], edges: [] });
    const id = await execute(console.bellhop, workflowId, {
      hosts: Array.from({ length: 1_000 }, (_, index) => index),
    });
    await ended(console.bellhop, id);
    const page = await console.pageAs("viewer", { at: `/executions/${id}?tab=timeline` });
    const rows = page.getByRole("list", { name: "Steps by time" });
    await rows.getByRole("button", { name: "Steps of Each host" }).click();
    await rows.getByRole("button", { name: /^Item 40 of Each host/u }).waitFor();
    expect(await rows.getByRole("listitem").count()).toBeLessThanOrEqual(100);
    await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
    await rows.getByRole("button", { name: /^Item 1000 of Each host/u }).waitFor();
    expect(await rows.getByRole("listitem").count()).toBeLessThanOrEqual(100);
    expect(console.complaints()).toEqual([]);
  });
});
