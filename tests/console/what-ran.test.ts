import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { ended } from "../support/management.ts";
import { WorkingAgent } from "../support/working-agent.ts";
import { execute, publishWorkflow, script, scriptConnection } from "./executions-scene.ts";

describe.skipIf(NO_CHROMIUM !== null)("what a step ran", () => {
  let console: ConsoleUnderTest;
  let agent: WorkingAgent;
  let connectionId: string;
  beforeAll(async () => {
    console = await startConsole();
    agent = await WorkingAgent.start(console.bellhop, "web");
    agent.does((job) => success(job, { exitCode: 0, stdout: "", stderr: "" }));
    connectionId = await scriptConnection(console.bellhop, "web");
  });
  afterAll(async () => {
    await agent.stop();
    await console.stop();
  });

  test("is shown beside its definition to an editor, without sensitive inputs, and not to an operator", async () => {
    const { bellhop } = console;
    const params = { script: 'restart "{{inputs.host}}"', env: { TOKEN: "key={{inputs.token}}" } };
    const definition = { nodes: [script("restart", connectionId, { params })], edges: [] };
    const inputs = { host: { type: "string" }, token: { type: "string", sensitive: true } };
    const workflowId = await publishWorkflow(bellhop, "Restart a host", definition, {
      trigger: { type: "manual", inputs },
    });
    const id = await execute(bellhop, workflowId, { host: "web-1", token: "s3cret-value" });
    await ended(bellhop, id);

    const page = await console.pageAs("editor", { at: `/executions/${id}` });
    await page.getByText("What ran", { exact: true }).click();
    expect(await page.getByRole("region", { name: "script, as it ran" }).innerText()).toBe('restart "web-1"');
    const defined = page.getByRole("region", { name: "script, as defined" });
    expect(await defined.innerText()).toBe('restart "{{inputs.host}}"');
    expect(await page.getByRole("region", { name: "TOKEN, as it ran" }).innerText()).toBe("key=***");
    await page.getByText("Trigger data (2 fields)").click();
    await page.getByRole("region", { name: "Trigger data" }).getByText('"token": "***"').waitFor();
    expect(await page.locator("body").innerText()).not.toContain("s3cret");
    expect(await axeProblems(page)).toEqual([]);

    const operator = await console.pageAs("operator", { at: `/executions/${id}` });
    await operator.getByText("Step definition").waitFor();
    expect(await operator.getByText("What ran", { exact: true }).count()).toBe(0);
    expect(console.complaints()).toEqual([]);
  });

  test("is hidden for an input that the designer marks as sensitive, whose field hides what is typed", async () => {
    const { bellhop } = console;
    const definition = { nodes: [script("use", connectionId, { params: { script: "true" } })], edges: [] };
    const trigger = { type: "manual", inputs: { token: { type: "string" } } };
    const workflowId = await publishWorkflow(bellhop, "Use a token", definition, { trigger });
    const page = await console.pageAs("editor", { at: `/workflows/${workflowId}/edit` });
    await page.locator('.react-flow__node[data-id="@trigger"]').click();
    await page.getByLabel("Sensitive").check();
    expect(await page.getByLabel("Default").count()).toBe(0);
    await page.keyboard.press("Control+s");
    const path = `/api/v1/automation/workflows/${workflowId}`;
    await eventually("the draft is saved", async () =>
      (await (await bellhop.api("GET", path)).text()).includes('"sensitive":true'),
    );
    await bellhop.api("POST", `${path}/publish`);
    await page.goto(`${bellhop.url}/workflows/${workflowId}`);
    await page.getByRole("button", { name: "Run now" }).click();
    const field = page.getByRole("dialog").getByRole("textbox", { name: "token" });
    expect(await field.getAttribute("type")).toBe("password");
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
