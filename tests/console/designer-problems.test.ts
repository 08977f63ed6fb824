import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { placeProblems } from "../../console/workflow-forms/draft-problems.ts";
import { placeLabel } from "../../console/workflow-forms/field-label.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import type { Definition } from "../../schema/contract/workflow.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { call, createConnection, dataOf } from "../support/management-api.ts";

const script = (id: string, params: object) => ({
  id,
  type: "action" as const,
  action: "script.bash" as const,
  params: { script: "true", ...params },
  timeoutSeconds: 60,
});
const equals = (field: string, value: string) => ({ field, operator: "equals" as const, value });

test.each([
  ["name", "Workflow: Name"],
  ["runbookUrl", "Workflow: Runbook"],
  ["definition.nodes", "Workflow"],
  ["definition.concurrency.key", "Workflow: Key"],
  ["trigger.conditions.conditions.0.value", "Trigger: Condition 1: value"],
  ["trigger.inputs.host.default", "Trigger: Inputs: host: Default"],
  ["trigger.expression", "Trigger: Cron expression"],
  ["definition.nodes.0.params.script", "Restart it: Script"],
  ["definition.nodes.0.params.env.HOST", "Restart it: Environment variables: HOST"],
  ["definition.nodes.2.params.arguments.1", "deploy: Arguments 2"],
  ["definition.nodes.2.params.env", "deploy: Environment variables"],
  ["definition.nodes.0.params.other", "Restart it: params.other"],
  ["definition.nodes.0.connectionId", "Restart it: Connection"],
  ["definition.nodes.0.retry.maxAttempts", "Restart it: Maximum attempts"],
  ["definition.nodes.1.body.nodes.0.when.conditions.0.conditions.1.field", "ask: Condition 1.2: field"],
  ["definition.nodes.1.body.nodes", "each: Steps inside"],
  ["definition.nodes.1.items", "each: Items"],
  ["definition.edges.0.on", "Restart it: restart, on success, to each"],
])("the console names the place %s as %s", (path, label) => {
  const definition: Definition = {
    nodes: [
      { ...script("restart", {}), name: "Restart it" },
      {
        id: "each",
        type: "forEach",
        items: "[]",
        body: { nodes: [{ id: "ask", type: "condition", when: { logic: "all", conditions: [] } }], edges: [] },
      },
      { ...script("deploy", {}), action: "ssh.executeScript" },
    ],
    edges: [{ from: "restart", to: "each", on: "success" }],
  };
  const [problem] = placeProblems({ definition }, [{ path, message: "!" }], "error");
  expect(problem === undefined ? null : placeLabel(problem)).toBe(label);
});

describe.skipIf(NO_CHROMIUM !== null)("a problem in a list", () => {
  let console: ConsoleUnderTest;
  let connectionId: string;
  beforeAll(async () => {
    console = await startConsole();
    ({ id: connectionId } = await createConnection(console.bellhop, { name: "Web servers" }));
  });
  afterAll(() => console.stop());

  const draft = async (body: object): Promise<string> => {
    const wanted = { name: "Wrong", trigger: { type: "webhook" }, ...body, draft: true };
    return (await dataOf(await call(console.bellhop, "POST", "/workflows", wanted), 201, workflowSchema)).id;
  };
  const focusedPart = (page: Page) =>
    page.evaluate<string | null>(
      `document.activeElement?.closest("[data-form] :is([data-field], [data-part])")?.matches("[data-part]")
        ? document.activeElement.closest("[data-part]").dataset.part
        : document.activeElement?.closest("[data-form] [data-field]")?.dataset.field ?? null`,
    );
  const opens = async (page: Page, part: string, message: RegExp) => {
    await eventually(`the focus is in ${part}`, async () => (await focusedPart(page)) === part);
    const shown = page.locator("[data-form]").getByText(message).first();
    await shown.waitFor();
    expect(await shown.isVisible()).toBe(true);
  };

  test("opens its field with the message: in a forEach, a row, a condition, folded limits, an edge, the trigger", async () => {
    const id = await draft({
      trigger: { type: "manual", inputs: { host: { type: "number", default: "x" } } },
      definition: {
        nodes: [
          {
            id: "each",
            type: "forEach",
            items: "[1]",
            body: { nodes: [{ ...script("inner", { env: { HOST: "{{incident.x}}" } }), connectionId }], edges: [] },
          },
          {
            id: "check",
            type: "condition",
            when: {
              logic: "all",
              conditions: [equals("inputs.host", "1"), { logic: "any", conditions: [equals("a b", "1")] }],
            },
          },
          { ...script("retried", { bogus: 1 }), retry: { maxAttempts: 99, backoffSeconds: 1 } },
          { id: "ask", type: "approval", message: "?", approvers: { people: ["usr_nobody"] } },
        ],
        edges: [{ from: "check", to: "each", on: "failure" }],
      },
    });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    for (const [label, part, message] of [
      [
        "inner: Environment variables: HOST",
        "params.env.HOST",
        /^\{\{incident\.x\}\}: a manual workflow has no incident/u,
      ],
      ["check: Condition 2.1: field", "when.conditions.1.conditions.0.field", /^Must be a path/u],
      ["retried: Maximum attempts", "retry.maxAttempts", /from 1 to 20/u],
      ["retried: Connection", "connectionId", /^Required/u],
      ["retried: params.bogus", "params.bogus", /not a parameter/u],
      ["ask: People who may answer", "approvers.people", /no user/u],
      ["check: check, on failure, to each", "edge check failure each", /ends with true or false, not with failure/u],
      ["Trigger: Inputs: host: Default", "inputs.host.default", /^Must be a number/u],
    ] as const) {
      await page.getByRole("tab", { name: /^Problems/u }).click();
      await page.getByRole("button", { name: label }).click();
      await opens(page, part, message);
    }
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("opens its field from the publish dialog, in the designer, from the workflow's page and on a phone", async () => {
    const id = await draft({ definition: { nodes: [script("run", {})], edges: [] } });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    const open = async () => {
      await page.getByRole("button", { name: "Publish", exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "run: Connection" }).click();
      await opens(page, "connectionId", /^Required/u);
    };
    await open();
    await page.goto(`/workflows/${id}`);
    await open();
    expect(page.url()).toEndWith(`/workflows/${id}/edit`);

    await page.setViewportSize({ width: NARROW, height: 800 });
    await page.goto(`/workflows/${id}/edit`);
    await page
      .locator("label")
      .filter({ hasText: /^Problems/u })
      .click();
    await page.getByRole("button", { name: "run: Connection" }).click();
    await opens(page, "connectionId", /^Required/u);
    expect(console.complaints()).toEqual([]);
  });

  test("of a script puts the cursor into the editor", async () => {
    const empty = { ...script("run", {}), connectionId, params: { script: "" } };
    const id = await draft({ definition: { nodes: [empty], edges: [] } });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await page.getByRole("tab", { name: /^Problems/u }).click();
    await page.getByRole("button", { name: "run: Script" }).click();
    await opens(page, "params.script", /^Required/u);
    await page.keyboard.type("uptime");
    await page.locator(".cm-content").getByText("uptime").waitFor();
    expect(console.complaints()).toEqual([]);
  });
});
