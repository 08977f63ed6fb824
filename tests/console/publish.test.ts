import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { workflowVersionSchema } from "../../schema/contract/management.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, WIDE, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { call, createWorkflow, makeWebhookKey, pageOf, ring, verb } from "../support/management-api.ts";
import { publish } from "../support/publish-in-console.ts";
import { getWorkflow } from "../support/schedules.ts";

const pause = (seconds: number) => ({ nodes: [{ id: "pause", type: "delay", seconds }], edges: [] });

describe.skipIf(NO_CHROMIUM !== null)("publishing in the console", () => {
  let console: ConsoleUnderTest;
  let page: Page;
  beforeAll(async () => {
    console = await startConsole();
    page = await console.pageAs("editor", { at: null });
  });
  afterAll(() => console.stop());

  /** A live webhook workflow whose draft has changed. */
  async function changed(name: string): Promise<string> {
    const { id } = await createWorkflow(console.bellhop, { name, definition: pause(11) });
    await makeWebhookKey(console.bellhop, id);
    await verb(console.bellhop, id, "publish");
    await verb(console.bellhop, id, "activate");
    const body = { name, trigger: { type: "webhook" }, definition: pause(22) };
    await call(console.bellhop, "PUT", `/workflows/${id}`, body);
    return id;
  }
  const liveSeconds = async (id: string) => {
    const { publishedVersionId } = await getWorkflow(console.bellhop, id);
    const { items } = await pageOf(
      await call(console.bellhop, "GET", `/workflows/${id}/versions`),
      workflowVersionSchema,
    );
    const node = items.find((version) => version.id === publishedVersionId)?.definition.nodes[0];
    return node?.type === "delay" ? node.seconds : null;
  };
  const dialog = () => page.getByRole("dialog");
  const undo = () => page.getByRole("button", { name: "Undo this change" });

  test("shows what changes and what starts it, asks why, and offers to undo", async () => {
    const id = await changed("Careful");
    await page.goto(`/workflows/${id}`);
    await page.getByRole("button", { name: "Publish changes" }).click();
    await dialog().getByText("Wait: 11 seconds → 22 seconds").waitFor();
    await dialog().getByText("Each webhook call starts a run.").waitFor();
    await dialog().getByRole("switch", { name: "Show as text" }).click();
    await dialog().locator(".cm-merge-b").getByText("seconds: 22").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Not now" }).click();
    expect(await liveSeconds(id)).toBe(11);

    await publish(page, "Wait longer, see #7");
    await page.getByRole("button", { name: "Nothing to publish" }).waitFor();
    expect(await page.getByRole("button", { name: "Nothing to publish" }).isDisabled()).toBe(true);
    expect(await liveSeconds(id)).toBe(22);
    await page.getByRole("tab", { name: "Versions" }).click();
    const row = page.getByRole("row").filter({ hasText: "Wait longer, see #7" });
    await row.getByText("editor@example.com").waitFor();

    await undo().click();
    await page.getByText("The change was undone.").waitFor();
    expect(await liveSeconds(id)).toBe(11);
    await page.getByRole("button", { name: "Publish changes" }).waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("activating, deactivating and unpublishing act at once, and each toast replaces the one before", async () => {
    const id = await changed("Switched");
    await page.goto(`/workflows/${id}`);
    await page.getByRole("button", { name: "Deactivate" }).click();
    await page.getByText("Deactivated. Its waiting runs are cancelled.").waitFor();
    await page.getByRole("button", { name: "Activate" }).click();
    await page.getByText("Activated. Each webhook call starts a run.").waitFor();
    await page.getByText("Deactivated. Its waiting runs are cancelled.").waitFor({ state: "detached" });
    expect(await undo().count()).toBe(1);
    await undo().click();
    await page.getByText("The change was undone.").waitFor();
    expect((await getWorkflow(console.bellhop, id)).active).toBe(false);

    const { publishedVersionId } = await getWorkflow(console.bellhop, id);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Unpublish" }).click();
    await page.getByText("Unpublished. It no longer runs").waitFor();
    expect((await getWorkflow(console.bellhop, id)).published).toBe(false);
    await undo().click();
    await page.getByText("The change was undone.").waitFor();
    expect((await getWorkflow(console.bellhop, id)).publishedVersionId).toBe(publishedVersionId);
    expect(console.complaints()).toEqual([]);
  });

  test("a change of another person after a command is not undone", async () => {
    const id = await changed("Shared");
    await page.goto(`/workflows/${id}`);
    await page.getByRole("button", { name: "Deactivate" }).click();
    await undo().waitFor();
    await verb(console.bellhop, id, "unpublish");
    await undo().click();
    await page.getByText("The change was not undone").waitFor();
    expect(await getWorkflow(console.bellhop, id)).toMatchObject({ active: false, published: false });
  });

  test("a deleted workflow is restored from its toast, with its webhook", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Taken away", definition: pause(11) });
    const key = await makeWebhookKey(console.bellhop, id);
    await verb(console.bellhop, id, "publish");
    await verb(console.bellhop, id, "activate");
    await page.goto(`/workflows/${id}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete workflow" }).click();
    await page.waitForURL("**/workflows");
    await page.getByText("“Taken away” was deleted. It can be restored for 24 hours.").waitFor();
    expect((await ring(console.bellhop, key)).status).toBe(404);
    expect(await axeProblems(page)).toEqual([]);
    await undo().click();
    await page.getByText("“Taken away” was restored.").waitFor();
    await page.getByRole("link", { name: "Taken away" }).waitFor();
    expect((await ring(console.bellhop, key)).status).toBe(200);
    expect(console.complaints()).toEqual([]);
  });

  test("the designer publishes what is shown, after saving it, and only when something differs", async () => {
    const id = await changed("Drawn");
    const { revision } = await getWorkflow(console.bellhop, id);
    await page.clock.install();
    await page.goto(`/workflows/${id}/edit`);
    await page.locator('.react-flow__node[data-id="pause"]').click();
    await page.getByRole("textbox", { name: /^Name/u }).first().fill("Settle");
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await dialog().getByText("Your unsaved changes are saved first.").waitFor();
    await dialog().getByText("name").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    // An autosave at the moment of the click would take its button away.
    await page.clock.runFor(10_000);
    await dialog().getByText("Your unsaved changes are saved first.").waitFor();
    expect((await getWorkflow(console.bellhop, id)).revision).toBe(revision);
    expect(await liveSeconds(id)).toBe(11);
    await dialog().getByRole("button", { name: "Publish", exact: true }).click();
    await dialog().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Nothing to publish" }).waitFor();
    expect(await liveSeconds(id)).toBe(22);
    expect((await getWorkflow(console.bellhop, id)).definition.nodes).toMatchObject([{ name: "Settle" }]);
    await undo().click();
    await page.getByText("The change was undone.").waitFor();
    expect(await liveSeconds(id)).toBe(11);
    expect(console.complaints()).toEqual([]);
  });

  test("a draft with a problem is not published, and the dialog says what to fix", async () => {
    const { id } = await createWorkflow(console.bellhop, { name: "Broken", definition: pause(11) });
    const called = await createWorkflow(console.bellhop, { name: "Called", definition: pause(1) });
    await call(console.bellhop, "PUT", `/workflows/${id}`, {
      name: "Broken",
      trigger: { type: "webhook" },
      definition: { nodes: [{ id: "sub", type: "workflow", workflowId: called.id }], edges: [] },
    });
    await call(console.bellhop, "DELETE", `/workflows/${called.id}`);
    await page.goto(`/workflows/${id}`);
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await dialog().getByText("Fix the problems first.").waitFor();
    await dialog().getByText("sub: Workflow").waitFor();
    expect(await dialog().getByRole("button", { name: "Publish", exact: true }).isDisabled()).toBe(true);
    expect(await axeProblems(page)).toEqual([]);
  });

  test("the dialog and the versions fit a phone", async () => {
    const id = await changed("Small");
    const phone = await console.pageAs("editor", { at: `/workflows/${id}`, width: NARROW, dark: true });
    await phone.getByRole("button", { name: "Publish changes" }).click();
    await phone.getByRole("dialog").getByText("Wait: 11 seconds → 22 seconds").waitFor();
    expect(await axeProblems(phone)).toEqual([]);
    expect(await phone.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    await phone.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await eventually("the new version", async () => (await liveSeconds(id)) === 22 || null);
    await phone.goto(`/workflows/${id}?tab=versions`);
    await phone.getByText("editor@example.com").waitFor();
    expect(await axeProblems(phone)).toEqual([]);
    expect(await phone.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    await phone.setViewportSize({ width: WIDE, height: 900 });
    expect(console.complaints()).toEqual([]);
  });
});
