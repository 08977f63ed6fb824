import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { workflowSchema } from "../../schema/contract/management.ts";
import type { WorkflowView } from "../../schema/contract/management.ts";
import { isSaved, publish } from "../support/publish-in-console.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { call, createConnection, createWorkflow, dataOf } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("the workflow designer", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
    await createConnection(console.bellhop, { name: "Web servers" });
  });
  afterAll(() => console.stop());

  const saved = async (id: string): Promise<WorkflowView> =>
    dataOf(await call(console.bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
  const idOf = (page: Page) => /workflows\/(wf_[\w-]+)/u.exec(page.url())?.[1] ?? "";
  const node = (page: Page, id: string): Locator => page.locator(`.react-flow__node[data-id="${id}"]`);
  const state = (page: Page): Locator => page.getByRole("status", { name: "State of the workflow" });
  const delays = (...ids: string[]) => ({
    nodes: ids.map((id) => ({ id, type: "delay", seconds: 60 })),
    edges: ids.slice(1).map((to, index) => ({ from: ids[index], to, on: "success" })),
  });

  test("an approval requires another person by default, and offers roles and people to choose", async () => {
    const open = async (role: "editor" | "admin", id: string) => {
      const page = await console.pageAs(role, { at: `/workflows/${id}/edit` });
      await node(page, "ask").click();
      return page;
    };
    const definition = { nodes: [{ id: "ask", type: "approval", message: "?", by: "another" }], edges: [] };
    const { id } = await createWorkflow(console.bellhop, { definition });
    const page = await open("editor", id);
    const another = page.getByRole("switch", { name: "Another person must answer" });
    expect(await another.isChecked()).toBe(true);
    await page.getByRole("combobox", { name: "Roles that may answer" }).press("ArrowDown");
    await page.getByRole("option", { name: "Operators" }).click();
    await page.getByRole("combobox", { name: "People who may answer" }).press("ArrowDown");
    expect(await page.getByRole("option", { name: "@" }).allTextContents()).toEqual(["editor@example.com"]);
    await page.getByRole("option", { name: "editor@example.com" }).click();
    await page.keyboard.press("Escape");
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Control+s");
    await isSaved(page);
    const [asked] = (await saved(id)).definition.nodes;
    expect(asked).toMatchObject({ by: "another", approvers: { roles: ["operator"], people: [expect.any(String)] } });

    const admins = await open("admin", id);
    await admins.getByText("editor@example.com").first().waitFor();
    await admins.getByRole("combobox", { name: "People who may answer" }).press("ArrowDown");
    await admins.getByRole("option", { name: "admin@example.com" }).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("by mouse, nodes are dragged from the palette, connected, edited, saved and published", async () => {
    const page = await console.pageAs("editor", { at: "/workflows/new" });
    await page.getByLabel("Name").fill("Fix the web server");
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: /^Webhook/u }).click();
    await page.waitForURL("**/workflows/wf_*/edit");
    const canvas = page.locator(".react-flow__pane");
    await page.getByRole("button", { name: /^Bash script/u }).dragTo(canvas, { targetPosition: { x: 250, y: 350 } });
    await node(page, "script-1").waitFor();
    await page.getByRole("button", { name: /^Delay/u }).dragTo(canvas, { targetPosition: { x: 250, y: 560 } });
    await node(page, "wait-1").waitFor();
    await node(page, "script-1")
      .locator('[data-handleid="success"]')
      .dragTo(node(page, "wait-1").locator('[data-handleid="in"]'));
    await page.getByLabel("script-1, on success, to wait-1", { exact: true }).waitFor({ state: "attached" });

    // Into the middle of that edge.
    const edge = page.locator('.react-flow__edge[data-id="script-1 success wait-1"]');
    const box = await edge.boundingBox();
    if (box === null) throw new Error("the edge is not drawn");
    await page.getByRole("button", { name: /^Approval/u }).dragTo(canvas, {
      targetPosition: await within(canvas, box.x + box.width / 2, box.y + box.height / 2),
    });
    await page.getByLabel("approve-1, on approved, to wait-1", { exact: true }).waitFor({ state: "attached" });

    // Missing values are shown at the node and at the field while the person types.
    await node(page, "script-1").click();
    await isNamed(node(page, "script-1"), /1 problem/u);
    // The only connection that fits was chosen.
    expect(await page.getByRole("combobox", { name: /^Connection/u }).inputValue()).toBe("Web servers");
    await page.getByRole("textbox", { name: /^Script/u }).fill("systemctl restart nginx");
    await isNamed(node(page, "script-1"), /script\.bash$/u);

    await isSaved(page);
    await publish(page);
    await state(page)
      .getByText(/^(?:Live|Deactivated)$/u)
      .waitFor();
    const workflow = await saved(idOf(page));
    expect(workflow).toMatchObject({ name: "Fix the web server", published: true, trigger: { type: "webhook" } });
    expect(workflow.definition.edges).toEqual([
      { from: "script-1", to: "approve-1", on: "success" },
      { from: "approve-1", to: "wait-1", on: "approved" },
    ]);
    expect(Object.keys(workflow.definition.layout ?? {}).toSorted()).toEqual(
      ["@trigger", "approve-1", "script-1", "wait-1"].toSorted(),
    );
    expect(workflow.definition.nodes.find(({ id }) => id === "approve-1")).toMatchObject({ by: "another" });

    // Saving keeps the undo history, and what was undone is saved, too.
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await state(page).getByText("Unpublished changes").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("by keyboard alone, nodes are added, reached, connected, edited, removed, restored and saved", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Keys", definition: delays("first") });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = (wanted: string) =>
      eventually(`${wanted} has the focus`, async () => {
        return (await page.evaluate("document.activeElement?.getAttribute('data-id')")) === wanted;
      });
    await node(page, "first").waitFor();
    await press("ArrowDown");
    await focused("@trigger");
    await press("ArrowDown");
    await focused("first");
    await press("a");
    await page.getByRole("dialog").getByLabel("Find a step to add").fill("approval");
    await press("Enter");
    await focused("approve-1");
    await page.getByLabel("first, on success, to approve-1", { exact: true }).waitFor({ state: "attached" });
    await press("a");
    await page.getByRole("dialog").getByLabel("Find a step to add").fill("delay");
    await press("ArrowDown", "Enter");
    await focused("wait-1");

    await press("ArrowUp");
    await focused("approve-1");
    await press("c");
    await page.getByRole("combobox", { name: "Run next", expanded: true }).waitFor();
    await page.keyboard.type("wait");
    await press("ArrowDown", "Enter");
    await press("Tab", "Tab", "Enter");
    await page.getByLabel("approve-1, on rejected, to wait-1", { exact: true }).waitFor({ state: "attached" });

    await node(page, "approve-1").focus();
    await press("Enter");
    await eventually("the form has the focus", () =>
      page.evaluate<boolean>("document.activeElement?.closest('[data-panel-form]') != null"),
    );
    await page.keyboard.type("May it go on");
    await isNamed(node(page, "approve-1"), /^May it go on/u);

    await node(page, "wait-1").focus();
    await press("ArrowUp", "ArrowDown");
    await focused("wait-1");
    await press("Delete");
    await node(page, "wait-1").waitFor({ state: "detached" });
    await focused("approve-1");
    await press("Control+z");
    await node(page, "wait-1").waitFor();
    await press("?");
    await page.getByRole("dialog").getByText("Connect the selected step to another").waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await press("Control+s");
    await isSaved(page);
    expect((await saved(id)).definition.edges).toEqual([
      { from: "first", to: "approve-1", on: "success" },
      { from: "approve-1", to: "wait-1", on: "approved" },
      { from: "approve-1", to: "wait-1", on: "rejected" },
    ]);
    expect(console.complaints()).toEqual([]);
  });

  test("YAML and canvas edit one draft: each follows the other, and undo covers both", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Two sides", definition: delays("one", "two") });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.getByRole("tab", { name: "YAML" }).click();
    const text = page.getByLabel("The workflow as YAML");
    await text.getByText("id: two").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Control+Shift+ArrowLeft");
    await page.keyboard.type("zwei");
    await node(page, "zwei").waitFor();
    await page.getByRole("tab", { name: "Problems 1" }).waitFor();

    await page.keyboard.press("Control+z");
    await node(page, "two").waitFor();
    await text.getByText("id: two").waitFor();
    await node(page, "one").click();
    await page.keyboard.press("Delete");
    await text.getByText("id: one").waitFor({ state: "detached" });
    await page.keyboard.press("Control+z");
    await text.getByText("id: one").waitFor();

    // Text that cannot be read is marked, and stays when the canvas changes.
    await text.getByText("kind: Workflow").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" [");
    await page.getByText(/cannot be read yet/u).waitFor();
    // Saving refuses the text, and a change of tab or page keeps it.
    await page.keyboard.press("Control+s");
    await page.getByText(/^Nothing was saved: the YAML cannot be read yet/u).waitFor();
    await page.getByRole("tab", { name: "Edit" }).click();
    await page.getByRole("tab", { name: "YAML" }).click();
    await text.getByText("kind: Workflow [").waitFor();
    await page.getByRole("link", { name: "Agents" }).click();
    await page.waitForURL("**/agents");
    await page.goBack();
    await page.getByRole("button", { name: "Restore" }).click();
    await text.getByText("kind: Workflow [").waitFor();
    await node(page, "two").click();
    await page.keyboard.press("Control+d");
    await page.getByText(/Which one do you want to keep/u).waitFor();
    await text.getByText("kind: Workflow [").waitFor();
    await page.getByRole("button", { name: "Replace with the canvas" }).click();
    await text.getByText("id: two-1").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("another person's save is neither overwritten nor dropped without a question", async () => {
    const made = await createWorkflow(console.bellhop, { name: "Ours", definition: delays("one") });
    const page = await console.pageAs("editor", { at: `/workflows/${made.id}/edit` });
    await page.getByLabel("Name").fill("Mine");
    const { trigger, definition } = made;
    await dataOf(
      await call(console.bellhop, "PUT", `/workflows/${made.id}`, { name: "Theirs", trigger, definition }),
      200,
      workflowSchema,
    );
    await page.keyboard.press("Control+s");
    const dialog = page.getByRole("dialog", { name: "Another person saved this workflow" });
    await dialog.getByText("name: Theirs").waitFor();
    await dialog.getByText("name: Mine").waitFor();
    expect((await saved(made.id)).name).toBe("Theirs");
    await dialog.getByRole("button", { name: "Take theirs" }).click();
    await page.getByRole("heading", { level: 1, name: "Theirs" }).waitFor();
    await isSaved(page);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Mine" }).waitFor();
    await eventually("what was undone is saved", async () => (await saved(made.id)).name === "Mine");
    expect(console.complaints()).toEqual([]);
  });

  test("a draft saves by itself with its problems, also when the page is left, and a reader gets a read-only designer", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Kept", definition: delays("one") });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.getByLabel("Name").fill("Kept for later");
    await page.keyboard.press("Escape");
    await eventually("the name is saved", async () => (await saved(id)).name === "Kept for later");
    await node(page, "one").click();
    await page.keyboard.press("Delete");
    await page.getByRole("link", { name: "Agents" }).click();
    await page.waitForURL("**/agents");
    await page.goBack();
    await node(page, "@trigger").waitFor();
    expect(await node(page, "one").count()).toBe(0);
    expect((await saved(id)).problems.map(({ path }) => path)).toEqual(["definition.nodes"]);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Find a step to add").fill("delay");
    await page.keyboard.press("Enter");
    await node(page, "wait-1").waitFor();
    // Saving includes an id whose field still has the focus.
    await node(page, "wait-1").click();
    await page.getByRole("textbox", { name: "Id" }).fill("first");
    await page.keyboard.press("Control+s");
    await isSaved(page);
    expect((await saved(id)).definition.nodes).toMatchObject([{ id: "first" }]);
    const keepsNothing = "!Object.keys(localStorage).some((key) => key.startsWith('bellhop-draft'))";
    await eventually("the browser keeps nothing", () => page.evaluate<boolean>(keepsNothing));

    const reader = await console.pageAs("viewer", { at: `/workflows/${id}/edit` });
    await reader.getByText("Read-only").waitFor();
    expect(await reader.getByRole("status", { name: "Saving" }).count()).toBe(0);
    expect(await reader.getByRole("button", { name: "Workflow properties" }).count()).toBe(0);
    await node(reader, "first").click();
    await reader.keyboard.press("Delete");
    expect(await node(reader, "first").count()).toBe(1);
    expect(console.complaints()).toEqual([]);
  });
});

/** A point of the page relative to an element. */
async function within(element: Locator, x: number, y: number): Promise<{ x: number; y: number }> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("the element is not shown");
  return { x: x - box.x, y: y - box.y };
}

async function isNamed(element: Locator, name: RegExp): Promise<void> {
  await eventually(`a node is named ${name}`, async () => name.test((await element.getAttribute("aria-label")) ?? ""));
}
