import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { axeProblems } from "../support/axe.ts";
import { createIncident, executionsOf, matched } from "../support/incidents.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, verb } from "../support/management-api.ts";
import { getWorkflow } from "../support/schedules.ts";

describe.skipIf(NO_CHROMIUM !== null)("one run at a time in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("the rule and the time limit are set in the designer, and a waiting run links to the run that must end first", async () => {
    const { bellhop } = console;
    const trigger = { type: "manual" };
    const { id } = await createWorkflow(bellhop, { name: "Repair", trigger, definition: DELAY_DEFINITION });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.getByRole("combobox", { name: "When another run is open" }).click();
    await page.getByRole("option", { name: "Wait for its turn" }).click();
    await page.getByRole("textbox", { name: "Key", exact: true }).fill("{{inputs.service}}");
    await page.getByRole("textbox", { name: "Waiting runs at most" }).fill("1");
    await page.getByRole("textbox", { name: "Time limit" }).fill("90");
    await eventually("the draft to be saved", async () => {
      const { definition } = await getWorkflow(bellhop, id);
      return definition.concurrency?.maxQueued === 1 && definition.timeoutSeconds === 90;
    });
    expect((await getWorkflow(bellhop, id)).definition.concurrency).toEqual({
      mode: "queue",
      key: "{{inputs.service}}",
      maxQueued: 1,
    });
    await verb(bellhop, id, "publish");
    const start = async () => {
      const response = await call(bellhop, "POST", `/workflows/${id}/execute`, { variables: { service: "checkout" } });
      return (await dataOf(response, 201, triggerAnswerSchema)).executionId;
    };
    const [first, second, third] = [await start(), await start(), await start()];

    await page.goto(`/executions/${second}`);
    await page.getByText('Waiting for its turn: an earlier run with the key "checkout" has not ended.').waitFor();
    await page.getByText(/^Waiting for \d/u).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "Open the run that must end first" }).click();
    await page.waitForURL(`**/executions/${first}`);
    await call(bellhop, "POST", `/executions/${first}/cancel`);
    await page.goBack();
    await page.getByText("Waiting for its turn").waitFor({ state: "detached" });

    await page.goto(`/executions/${third}`);
    await page.getByText('The queue for the key "checkout" was full: its limit is 1.').waitFor();
    await page.goto(`/workflows/${id}`);
    await page.getByText("one for each {{inputs.service}}, others wait").waitFor();
    await page.getByText("1 run found the queue full").waitFor();
    expect(console.complaints()).toEqual([]);
    await page.close();
  });

  test("a window for events is set in the trigger's form, and a run that collects says until when", async () => {
    const { bellhop } = console;
    const trigger = { type: "incident", events: ["incident.created"] } satisfies Trigger;
    const { id } = await createWorkflow(bellhop, { name: "Storm", trigger, definition: DELAY_DEFINITION });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.locator('.react-flow__node[data-id="@trigger"]').click();
    await page.getByRole("textbox", { name: "Join events for" }).fill("3600");
    await page.getByRole("textbox", { name: "Join events with the same" }).fill("{{incident.service}}");
    await eventually("the draft to be saved", async () => {
      const saved = (await getWorkflow(bellhop, id)).trigger;
      return saved.type === "incident" && saved.coalesce?.key !== undefined;
    });
    expect((await getWorkflow(bellhop, id)).trigger).toEqual({
      ...trigger,
      coalesce: { windowSeconds: 3_600, key: "{{incident.service}}" },
    });
    expect(await axeProblems(page)).toEqual([]);
    await verb(bellhop, id, "publish");
    await verb(bellhop, id, "activate");
    await createIncident(bellhop, { service: "checkout" });
    await matched(bellhop);
    const [collecting] = await executionsOf(bellhop, id);
    await page.goto(`/executions/${collecting?.id ?? ""}`);
    await page.getByText('Waiting for further events with the key "checkout", until').waitFor();
    expect(console.complaints()).toEqual([]);
    await page.close();
  });
});
