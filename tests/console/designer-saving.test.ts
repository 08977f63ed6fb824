import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { workflowSchema } from "../../schema/contract/management.ts";
import type { WorkflowView } from "../../schema/contract/management.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { testInFull } from "../support/in-full.ts";
import { call, createConnection, createWorkflow, dataOf } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("a draft in the designer", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  const saved = async (id: string): Promise<WorkflowView> =>
    dataOf(await call(console.bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
  const node = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
  const status = (page: Page): Locator => page.getByRole("status", { name: "Saving" });
  const delays = (...ids: string[]) => ({ nodes: ids.map((id) => ({ id, type: "delay", seconds: 60 })), edges: [] });
  const idOf = (page: Page) => /workflows\/(wf_[\w-]+)/u.exec(page.url())?.[1] ?? "";
  const isWarned = (page: Page) =>
    page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");

  test("is kept and saved again while the service does not answer, and only then leaving asks", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Away", definition: delays("one") });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await status(page)
      .getByText(/^Saved/u)
      .waitFor();
    let isAway = true;
    await page.route(`**/api/v1/automation/workflows/${id}`, (route) =>
      route.request().method() === "PUT" && isAway ? route.abort() : route.fallback(),
    );
    await page.getByLabel("Name").fill("Home");
    expect(await isWarned(page)).toBe(false);
    await status(page).getByText("Not saved").waitFor();
    await page.getByText("Trying again every few seconds.").waitFor();
    expect(await isWarned(page)).toBe(true);
    expect(await axeProblems(page)).toEqual([]);
    const kept = "Object.values(localStorage).some((text) => text.includes('Home'))";
    expect(await page.evaluate<boolean>(kept)).toBe(true);
    isAway = false;
    await page.getByRole("button", { name: "Save now" }).click();
    await status(page)
      .getByText(/^Saved \d/u)
      .waitFor();
    expect(await isWarned(page)).toBe(false);
    expect((await saved(id)).name).toBe("Home");
    await eventually("the browser keeps nothing", () => page.evaluate<boolean>(`!${kept}`));
  });

  test("is saved once when the answer to a save is lost, without a conflict with itself", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Lost", definition: delays("one") });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await status(page)
      .getByText(/^Saved/u)
      .waitFor();
    let isLost = true;
    await page.route(`**/api/v1/automation/workflows/${id}`, async (route) => {
      if (route.request().method() !== "PUT" || !isLost) return route.fallback();
      isLost = false;
      await route.fetch();
      return route.abort();
    });
    await page.getByLabel("Name").fill("Found");
    await status(page).getByText("Not saved").waitFor();
    await page.getByLabel("Name").fill("Found again");
    await eventually("the second name is saved", async () => (await saved(id)).name === "Found again");
    await status(page)
      .getByText(/^Saved/u)
      .waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("that cannot be stored says why, and is saved after the next change", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Named", definition: delays("one") });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.getByLabel("Name").fill("");
    await page.getByText(/^Not saved: name /u).waitFor();
    expect((await saved(id)).name).toBe("Named");
    // The service trims the name; this is no further change to save.
    await page.getByLabel("Name").fill("Named again ");
    await status(page)
      .getByText(/^Saved/u)
      .waitFor();
    const { name, revision } = await saved(id);
    expect([name, revision]).toEqual(["Named again", 2]);
    expect(console.complaints()).toEqual([]);
  });

  test("of another person is shown beside one's own, and nothing is saved before the choice", async () => {
    const made = await createWorkflow(console.bellhop, { name: "Ours", definition: delays("one") });
    const page = await console.pageAs("editor", { at: `/workflows/${made.id}/edit` });
    await status(page)
      .getByText(/^Saved/u)
      .waitFor();
    const theirs = { name: "Theirs", trigger: made.trigger, definition: made.definition };
    await dataOf(await call(console.bellhop, "PUT", `/workflows/${made.id}`, theirs), 200, workflowSchema);
    await page.getByLabel("Name").fill("Mine");
    const dialog = page.getByRole("dialog", { name: "Another person saved this workflow" });
    await dialog.getByText("name: Theirs").waitFor();
    await dialog.getByText("name: Mine").waitFor();
    await dialog.getByRole("button", { name: "Keep editing" }).click();
    await page.getByText("Another person saved this workflow, so your changes are not saved.").waitFor();
    expect((await saved(made.id)).name).toBe("Theirs");
    await page.getByRole("button", { name: "Compare" }).click();
    await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
    await status(page)
      .getByText(/^Saved/u)
      .waitFor();
    expect((await saved(made.id)).name).toBe("Mine");
    expect(console.complaints()).toEqual([]);
  });

  test("with problems is marked in the list and on its page, and can be duplicated from both", async () => {
    const page = await console.pageAs("editor", { at: "/workflows/new" });
    await page.getByLabel("Name").fill("Half");
    await page.getByRole("button", { name: /^Schedule/u }).click();
    await page.waitForURL("**/workflows/wf_*/edit");
    const first = idOf(page);
    await page.getByRole("link", { name: "Workflows", exact: true }).first().click();
    const row = page.getByRole("row", { name: /^Half/u });
    await row.getByText("Unfinished draft").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await row.getByRole("button", { name: "Actions for Half" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByRole("heading", { level: 1, name: "Copy of Half" }).waitFor();
    const copy = await saved(idOf(page));
    const { name: _, ...content } = { name: "", trigger: copy.trigger, definition: copy.definition };
    expect(await saved(first)).toMatchObject(content);
    expect(copy).toMatchObject({ published: false, active: false, webhookKey: null });

    await page.goto(`/workflows/${first}`);
    await page.getByText("Unfinished draft").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByRole("heading", { level: 1, name: "Copy of Half" }).waitFor();
    await page.setViewportSize({ width: NARROW, height: 800 });
    await page.goto("/workflows");
    await page.getByText("Unfinished draft").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  testInFull("with every kind of problem can be opened, listed and shown", async () => {
    const definition = {
      nodes: [
        { id: "a", type: "action", action: "http.request", params: {}, retry: { maxAttempts: -1, backoffSeconds: -1 } },
        { id: "b", type: "condition", when: { logic: "any", conditions: [{ field: "", operator: "in", value: 5 }] } },
        { id: "c", type: "delay", seconds: -1.5 },
        { id: "d", type: "approval", message: "", timeoutSeconds: 0, approvers: {} },
        { id: "e", type: "workflow", workflowId: "" },
        { id: "f", type: "forEach", items: "", concurrency: 0, body: { nodes: [], edges: [] } },
        { id: "f", type: "errorHandler" },
      ],
      edges: [
        { from: "a", to: "gone", on: "true" },
        { from: "b", to: "c", on: "true" },
        { from: "c", to: "b", on: "success" },
      ],
    };
    for (const trigger of [
      { type: "cron", expression: "whenever", timezone: "Nowhere/Else" },
      { type: "incident", events: [], conditions: { logic: "all", conditions: [{ field: "", operator: "matches" }] } },
      { type: "manual", inputs: { "": { type: "number", default: "x" }, "1 2": { type: "object" } } },
    ]) {
      const body = { name: `Bad ${trigger.type}`, trigger, definition, draft: true };
      const { id } = await dataOf(await call(console.bellhop, "POST", "/workflows", body), 201, workflowSchema);
      const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
      await node(page, "c").waitFor();
      for (const tab of ["YAML", "Try it", "Edit"]) await page.getByRole("tab", { name: tab }).click();
      for (const one of ["@trigger", "a", "b", "c", "d", "e"]) {
        // The first view need not show every node of a wide graph.
        await node(page, one).first().dispatchEvent("click");
      }
      await page.goto(`/workflows/${id}`);
      await page.getByText("Unfinished draft").waitFor();
      for (const tab of await page.getByRole("tab").all()) await tab.click();
      await page.getByRole("button", { name: "Run now" }).click();
      await page.getByRole("dialog").waitFor();
    }
    const list = await console.pageAs("editor", { at: "/workflows" });
    await list.getByText("Bad manual").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("takes nodes that were copied in another workflow, with their connections and with new ids", async () => {
    const { id: connectionId } = await createConnection(console.bellhop, { name: "Web servers" });
    const nodes = [
      { id: "run", type: "action", action: "script.bash", connectionId, params: { script: "true" } },
      { id: "wait", type: "delay", seconds: 60 },
    ];
    const edges = [{ from: "run", to: "wait", on: "success" }];
    const from = await createWorkflow(console.bellhop, { name: "From", definition: { nodes, edges } });
    const to = await createWorkflow(console.bellhop, { name: "To", definition: delays("wait") });
    const page = await console.pageAs("editor", { at: `/workflows/${from.id}/edit` });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await node(page, "run").click();
    // Unfinished nodes can be copied, too.
    await page.getByRole("textbox", { name: /^Script/u }).fill("");
    await node(page, "run").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    const other = await page.context().newPage();
    await other.goto(`/workflows/${to.id}/edit`);
    await node(other, "wait").waitFor();
    await other.locator(".react-flow__pane").click({ position: { x: 40, y: 40 } });
    await other.keyboard.press("Control+v");
    await node(other, "wait-1").waitFor();
    await node(other, "run").waitFor();
    await eventually("the pasted nodes are saved", async () => (await saved(to.id)).definition.nodes.length === 3);
    const { definition } = await saved(to.id);
    expect(definition.nodes.map(({ id }) => id)).toEqual(["wait", "run", "wait-1"]);
    expect(definition.nodes[1]).toMatchObject({ connectionId, params: { script: "" } });
    expect(definition.edges).toEqual([{ from: "run", to: "wait-1", on: "success" }]);
    expect(console.complaints()).toEqual([]);
  });
});
