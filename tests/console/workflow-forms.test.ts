import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { schedulePreviewSchema } from "../../schema/contract/cron.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import { testInFull } from "../support/in-full.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { call, createConnection, createWorkflow, dataOf } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("the forms of the workflow designer", () => {
  let console: ConsoleUnderTest;
  let workflowId = "";

  beforeAll(async () => {
    console = await startConsole();
    const { id } = await createConnection(console.bellhop, { name: "Web servers", type: "ssh", config: SSH });
    await createConnection(console.bellhop, { name: "Status API", type: "http", config: HTTP });
    const workflow = await createWorkflow(console.bellhop, {
      name: "Restart what is down",
      trigger: { type: "manual", inputs: { service: { type: "string", default: "nginx" } } },
      definition: definitionOn(id),
    });
    workflowId = workflow.id;
  });
  afterAll(() => console.stop());

  const open = async (nodeId: string, page?: Page): Promise<Page> => {
    const at = page ?? (await console.pageAs("editor", { at: `/workflows/${workflowId}/edit` }));
    await at.locator(`.react-flow__node[data-id="${nodeId}"]`).click();
    return at;
  };

  test("a command completes templates by keyboard, and only connections that fit its action are offered", async () => {
    const page = await open("check");
    const script = page.getByRole("textbox", { name: "Command (sh)" });
    await script.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(' "{{');
    await page.getByRole("option", { name: /^inputs\.service/u }).waitFor();
    expect(await page.getByRole("option").allTextContents()).not.toContainEqual(expect.stringContaining("nodes.ask"));
    await page.keyboard.type("serv");
    // The list updates a moment after typing.
    await page
      .getByRole("option", { selected: true })
      .locator(".cm-completionMatchedText", { hasText: "serv" })
      .waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type('"');
    expect(await script.textContent()).toBe('systemctl is-active "{{inputs.service}}"');

    await page.getByRole("combobox", { name: "Connection" }).click();
    await page.getByRole("option", { name: /^Web servers/u }).waitFor();
    expect(await page.getByRole("option", { name: /^Status API/u }).count()).toBe(0);
    await page.keyboard.press("Escape");
    expect(await axeProblems(page)).toEqual([]);

    // A wrong time limit keeps its section open and shows its problem there.
    await page.getByRole("button", { name: "Time limits and retries" }).click();
    const limit = page.getByRole("textbox", { name: "Time limit", exact: true });
    await limit.fill("99999999");
    await page.getByText("at most a day").first().waitFor();
    expect(await page.getByRole("button", { name: "Time limits and retries" }).getAttribute("aria-expanded")).toBe(
      "true",
    );
    await limit.fill("10");
    // An emptied field stays empty until another number is typed.
    const attempts = page.getByRole("textbox", { name: "Maximum attempts" });
    for (const number of ["3", "2"]) {
      await attempts.press("End");
      await page.keyboard.press("Backspace");
      await page.keyboard.type(number);
      expect(await attempts.inputValue()).toBe(number);
    }

    await page.keyboard.press("Control+s");
    await eventually("the draft is saved", async () => {
      const draft = await dataOf(await call(console.bellhop, "GET", `/workflows/${workflowId}`), 200, workflowSchema);
      return JSON.stringify(draft).includes('is-active \\"{{inputs.service}}\\"');
    });
    expect(console.complaints()).toEqual([]);
  });

  testInFull("conditions are grouped by keyboard and summarised in a sentence", async () => {
    const page = await open("isDown");
    await page.getByRole("button", { name: "Add a condition", exact: true }).click();
    await page.getByRole("option", { name: /^inputs\.service/u }).click();
    await page.getByRole("textbox", { name: "Condition 2: value" }).fill("nginx");
    await page.keyboard.press("Control+]");
    await page.getByRole("textbox", { name: "Condition 2.1: field" }).waitFor();
    await page.getByRole("button", { name: "Add a condition to group 2" }).click();
    await page.keyboard.type("nodes.check.exitCode");
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Condition 2.2: operator" }).click();
    await page.getByRole("option", { name: "is greater than" }).click();
    await page.getByRole("textbox", { name: "Condition 2.2: value" }).fill("0");
    await page
      .getByText(
        "When nodes.check.output.stdout does not match the pattern “^active” and (inputs.service is “nginx” or nodes.check.exitCode is greater than 0).",
      )
      .waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove Group 2" }).click();
    await page.getByText("When nodes.check.output.stdout does not match the pattern “^active”.").waitFor();

    // Adding the first condition of an incident trigger focuses its field.
    await open("@trigger", page);
    await page.getByRole("combobox", { name: "Trigger" }).click();
    await page.getByRole("option", { name: "Incident" }).click();
    await page.getByRole("button", { name: "Add a condition" }).press("Enter");
    await page.getByRole("option", { name: /^severity/u }).waitFor();
    await page.keyboard.type("severity");
    await page.getByText("When severity is empty.").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("a schedule is shown as a sentence with the next times that the service computes", async () => {
    const page = await open("@trigger");
    await page.getByRole("combobox", { name: "Trigger" }).click();
    await page.getByRole("option", { name: "Schedule" }).click();
    await page.getByRole("button", { name: "Monday at 09:00" }).click();
    await page.getByText("At 09:00 on Monday.").waitFor();
    await page.getByRole("combobox", { name: "Time zone" }).fill("Auckland");
    await page.getByRole("option", { name: "Pacific/Auckland" }).click();
    const query = "expression=0%209%20*%20*%201&timezone=Pacific/Auckland";
    const answer = await call(console.bellhop, "GET", `/schedules/preview?${query}`);
    const preview = await dataOf(answer, 200, schedulePreviewSchema);
    const rows = page.getByRole("table", { name: "Next 5 runs" }).getByRole("row");
    const language = await page.evaluate(() => navigator.language);
    const day = new Intl.DateTimeFormat(language, { timeZone: "Pacific/Auckland", day: "numeric", month: "short" });
    for (const [index, run] of preview.nextRuns.entries()) {
      expect(await rows.nth(index + 1).textContent()).toContain(day.format(new Date(run)));
    }
    await page.getByRole("textbox", { name: "Expression" }).fill("0 9 * * MON");
    await page.getByText(/^day of week, position 9: "MON" contains names/u).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  testInFull("a dry run uses assumed results of other nodes, also on a phone", async () => {
    const page = await console.pageAs("editor", { at: `/workflows/${workflowId}/edit`, width: NARROW, height: 800 });
    await page.getByText("Try it", { exact: true }).click();
    await page.getByText(/^Nothing is executed/u).waitFor();
    await page.getByRole("button", { name: "Preview run" }).click();
    await page.getByRole("button", { name: /^2\. isDown.*the result is unknown/u }).waitFor();
    await page.getByRole("button", { name: /^1\. check/u }).click();
    await page.getByRole("textbox", { name: "Assume this output" }).fill('{"stdout": "inactive", "exitCode": 3}');
    await page.getByText(/^The draft or the data has changed/u).waitFor();
    await page.getByRole("button", { name: "Preview again" }).click();
    await page.getByRole("button", { name: /^2\. isDown.*ends with true, with this data/u }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});

const SSH = { host: "web-1.internal", username: "deploy", authMethod: "password" };
const HTTP = { baseUrl: "https://status.example.com", authType: "none" };

function definitionOn(connectionId: string) {
  return {
    nodes: [
      {
        id: "check",
        type: "action",
        action: "ssh.executeCommand",
        connectionId,
        params: { command: "systemctl is-active" },
      },
      {
        id: "isDown",
        type: "condition",
        when: {
          logic: "all",
          conditions: [{ field: "nodes.check.output.stdout", operator: "notMatches", value: "^active" }],
        },
      },
      { id: "ask", type: "approval", message: "Restart {{inputs.service}}?" },
    ],
    edges: [
      { from: "check", to: "isDown", on: "success" },
      { from: "isDown", to: "ask", on: "true" },
    ],
  };
}
