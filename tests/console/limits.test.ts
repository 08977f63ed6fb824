import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { limitGroupSchema } from "../../schema/contract/limit-group.ts";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { ended } from "../support/management.ts";
import { call, createConnection, createWorkflow, dataOf, pageOf, verb } from "../support/management-api.ts";
import { getWorkflow } from "../support/schedules.ts";
import { WorkingAgent } from "../support/working-agent.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";

describe.skipIf(NO_CHROMIUM !== null)("limits in the console", () => {
  let console: ConsoleUnderTest;
  let agent: WorkingAgent;
  beforeAll(async () => {
    console = await startConsole();
    agent = await WorkingAgent.start(console.bellhop, "limited");
    agent.does((job) => success(job));
  });
  afterAll(async () => {
    await agent.stop();
    await console.stop();
  });

  async function restartWorkflow(limits?: object[]) {
    const { id: connectionId } = await createConnection(console.bellhop, { poolId: "limited" });
    const node = { id: "restart", type: "action", action: "script.bash", connectionId, params: { script: "true" } };
    const definition = { nodes: [node], edges: [], ...(limits === undefined ? {} : { limits }) };
    return createWorkflow(console.bellhop, { name: "Restart", trigger: { type: "manual" }, definition });
  }
  async function start(id: string) {
    const response = await call(console.bellhop, "POST", `/workflows/${id}/execute`, {
      variables: { service: "shop" },
    });
    return (await dataOf(response, 201, triggerAnswerSchema)).executionId;
  }

  test("a limit is created, chosen in the designer, and its run and its uses say who used it", async () => {
    const { bellhop } = console;
    const page = await console.pageAs("editor", { at: "/settings/limits" });
    await page.getByText("No limits yet").waitFor();
    await page.getByRole("button", { name: "New limit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.locator("[aria-invalid=true]").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Restart a service");
    await dialog.getByRole("textbox", { name: "Runs" }).fill("1");
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByText(/^Restart a service was created\. No published workflow uses it yet/u).waitFor();
    await page.getByText("1 run in 1 hour").waitFor();
    const [limit] = (await pageOf(await call(bellhop, "GET", "/limits"), limitGroupSchema)).items;
    expect(limit).toMatchObject({ name: "Restart a service", maxRuns: 1, periodSeconds: 3_600, whenReached: "end" });

    const { id } = await restartWorkflow();
    await page.goto(`/workflows/${id}/edit`);
    await page.getByRole("button", { name: "Add a limit" }).click();
    await page.getByRole("combobox", { name: "Limit 1" }).click();
    await page.getByRole("option", { name: "Restart a service" }).click();
    await page.getByRole("textbox", { name: "Key of limit 1" }).fill("{{inputs.service}}");
    expect(await axeProblems(page)).toEqual([]);
    await eventually("the draft to be saved", async () => {
      const { definition } = await getWorkflow(bellhop, id);
      return definition.limits?.[0]?.key === "{{inputs.service}}";
    });
    expect((await getWorkflow(bellhop, id)).definition.limits).toEqual([
      { groupId: limit?.id ?? "", key: "{{inputs.service}}" },
    ]);
    await verb(bellhop, id, "publish");
    const [first, second] = [await start(id), await start(id)];
    await Promise.all([ended(bellhop, first), ended(bellhop, second)]);

    await page.goto(`/executions/${second}`);
    await page
      .getByText('The limit "Restart a service" for the key "shop" is reached: at most 1 run in 1 h')
      .first()
      .waitFor();
    await page.goto(`/workflows/${id}`);
    await page.getByText("for each {{inputs.service}}").waitFor();
    await page.getByRole("link", { name: "Restart a service" }).click();
    await page.getByRole("button", { name: "Uses of Restart a service" }).click();
    await page.getByText("1 of 1 used").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("link", { name: first }).click();
    await page.waitForURL(`**/executions/${first}`);

    await page.goto("/settings/limits");
    await page.getByRole("button", { name: "Delete Restart a service" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText(/A published workflow uses this limit: Restart/u).waitFor();
    await page.close();
  });

  test("a run that waits because of a limit shows the question, and runs after the approval", async () => {
    const { bellhop } = console;
    const body = { name: "Fail over", maxRuns: 1, periodSeconds: 3_600, whenReached: "approve" };
    const { id: groupId } = await dataOf(await call(bellhop, "POST", "/limits", body), 201, limitGroupSchema);
    const { id } = await restartWorkflow([{ groupId }]);
    await verb(bellhop, id, "publish");
    await ended(bellhop, await start(id));
    const asking = await start(id);
    const page = await console.pageAs("operator", { at: `/executions/${asking}` });
    await page
      .getByText(/The limit "Fail over" is reached.*Approve to run the action beyond the limit\./u)
      .first()
      .waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Approve" }).click();
    expect((await ended(bellhop, asking)).status).toBe("succeeded");
    await page.goto("/settings/limits");
    await page.getByRole("button", { name: "Uses of Fail over" }).click();
    await page.getByText("approved beyond the limit").waitFor();
    expect(await page.getByRole("button", { name: "New limit" }).count()).toBe(0);
    expect(console.complaints()).toEqual([]);
    await page.close();
  });
});
