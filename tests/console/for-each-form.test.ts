import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema } from "../../schema/contract/management.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { call, createWorkflow, dataOf } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("the form of a For each", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("allows failures, and sets batches with a pause and a check that knows the numbers so far", async () => {
    const { id } = await createWorkflow(console.bellhop, {
      name: "Restart all hosts",
      trigger: { type: "webhook" },
      definition: {
        nodes: [
          {
            id: "all",
            type: "forEach",
            items: "{{webhook.hosts}}",
            body: { nodes: [{ id: "pause", type: "delay", seconds: 1 }], edges: [] },
          },
        ],
        edges: [],
      },
    });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.locator('.react-flow__node[data-id="all"]').click({ position: { x: 20, y: 10 } });
    await page.getByRole("textbox", { name: "Allowed failures" }).fill("0");
    await page.getByRole("checkbox", { name: "Succeed despite allowed failures" }).check();
    await page.getByText("With 0, no item may fail", { exact: false }).first().waitFor();
    await page.getByRole("textbox", { name: "Allowed failures" }).fill("10%");
    await page.getByText("With 0, no item may fail", { exact: false }).first().waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Batch size" }).fill("2");
    await page.getByRole("textbox", { name: "Pause between batches" }).fill("30");
    await page.getByRole("button", { name: "Add a check" }).click();
    await page.keyboard.type("foreach.fai");
    await page.getByRole("option", { name: /^foreach\.failed/u }).click();
    await page.getByRole("combobox", { name: "Condition 1: operator" }).click();
    await page.getByRole("option", { name: "is less than" }).click();
    await page.getByRole("textbox", { name: "Condition 1: value" }).fill("2");
    await page.getByText("When foreach.failed is less than 2.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Control+s");
    await eventually("the draft is saved", async () => {
      const draft = await dataOf(await call(console.bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
      const [node] = draft.definition.nodes;
      return (
        node?.type === "forEach" &&
        Bun.deepEquals(
          [node.maxFailures, node.continueOnError, node.batchSize, node.pauseSeconds, node.check],
          [
            "10%",
            true,
            2,
            30,
            { logic: "all", conditions: [{ field: "foreach.failed", operator: "lessThan", value: 2 }] },
          ],
        )
      );
    });
    expect(console.complaints()).toEqual([]);
  });
});
