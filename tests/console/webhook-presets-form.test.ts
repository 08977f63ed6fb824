import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { createWorkflow } from "../support/management-api.ts";
import { getWorkflow } from "../support/schedules.ts";
import { eventually } from "../support/eventually.ts";

describe.skipIf(NO_CHROMIUM !== null)("the designer", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("sets a webhook trigger up for a sender", async () => {
    const definition = {
      nodes: [{ id: "ask", type: "approval", message: "{{webhook.body.repository.full_nam}}?" }],
      edges: [],
    };
    const trigger = { type: "webhook", payload: "body" };
    const { id } = await createWorkflow(console.bellhop, { name: "From GitHub", trigger, definition });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.locator('.react-flow__node[data-id="@trigger"]').click();
    await page.getByLabel("Set up for").selectOption("GitHub");
    await page.getByText("Verify it by the GitHub signature.").waitFor();
    await page.getByText("x-github-event", { exact: true }).waitFor();
    await page.getByText("Each chosen event starts the workflow").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    const isWarned = page.locator('.react-flow__node[data-id="ask"] [title*="has no such value"]');
    await isWarned.waitFor();
    await eventually("the draft to be saved", async () => {
      const saved = (await getWorkflow(console.bellhop, id)).trigger;
      return saved.type === "webhook" && saved.headers?.join() === "x-github-event,x-github-delivery";
    });
    expect(console.complaints()).toEqual([]);
  });
});
