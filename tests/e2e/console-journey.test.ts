import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { AGENT_API_PATH, enrolResponseSchema } from "../../schema/contract/agent.ts";
import { AgentHome } from "../agent/agent-process.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { isSaved, publish } from "../support/publish-in-console.ts";
import { makeKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";

const LIMIT_MS = 180_000;
const enrolAnswer = z.object({ data: enrolResponseSchema });
const ADA = { name: "Ada", email: "ada@example.com", password: "a password of Ada's own" };
/** The first command knows only one service, so that another one fails. */
const COMMAND = 'test "{{webhook.service}}" = checkout && echo "checkout is back"';
const FIXED = 'test "{{webhook.service}}" != "" && echo "{{webhook.service}} is back"';

/**
 * Everything that a person does after the installation, in a browser: an account, an agent (the real executable), a
 * host behind a real SSH server, its key, a workflow by mouse and keyboard, a webhook, a fixed failure.
 */
describe.skipIf(NO_CHROMIUM !== null || sshdMissing !== null)(
  "from an empty deployment to an alert that repairs a host",
  () => {
    let console: ConsoleUnderTest;
    let home: AgentHome;
    let sshd: Sshd;
    beforeAll(async () => {
      [console, home, sshd] = await Promise.all([startConsole(), AgentHome.make(), Sshd.start()]);
    }, LIMIT_MS);
    afterAll(async () => {
      await home.remove();
      await sshd.stop();
      await console.stop();
    });

    test(
      "a person sets it up, sees a failure, fixes the workflow and retries, in a browser",
      async () => {
        const page = await console.page();
        await setUp(page, console.bellhop.adminToken);
        const agent = await createAgent(page, home, console.bellhop.url);
        await connectOverSsh(page, sshd, agent);
        await designWorkflow(page);
        const ring = await webhookOf(page);

        // A person watches the executions while the webhook is called.
        await page.getByRole("link", { name: "Executions", exact: true }).click();
        await page.getByRole("heading", { level: 1, name: "Executions" }).waitFor();
        expect(await ring("checkout")).toBe(200);
        await page.getByRole("link", { name: "Restart over SSH" }).first().click();
        await statusOf(page).filter({ hasText: "succeeded" }).waitFor();
        await nodesOf(page).getByRole("button").first().click();
        await page.getByText("checkout is back").first().waitFor();

        expect(await ring("orders")).toBe(200);
        await page.getByRole("link", { name: "Executions", exact: true }).first().click();
        const row = page.getByRole("row").filter({ hasText: "failed" });
        await row.getByRole("link", { name: "Restart over SSH" }).click();
        await page.getByRole("alert").getByText("exit code 1").waitFor();
        const failed = page.url();

        await fixWorkflow(page);
        await page.goto(failed);
        await page.getByRole("button", { name: "Retry" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("radio", { name: /published version \(version 2\)$/u }).check();
        await dialog.getByRole("button", { name: "Run again" }).click();
        await page.waitForURL((url) => url.href !== failed);
        await statusOf(page).filter({ hasText: "succeeded" }).waitFor();
        await nodesOf(page).getByRole("button").first().click();
        await page.getByText("orders is back").first().waitFor();
        // The failed execution shows that it was retried.
        await page.goto(failed);
        await page.getByText("Retried:").waitFor();
        expect(console.complaints()).toEqual([]);
      },
      LIMIT_MS,
    );
  },
);

function nodesOf(page: Page): Locator {
  return page.getByRole("list", { name: "Steps" });
}

function statusOf(page: Page): Locator {
  return page.getByRole("status").filter({ hasText: /^Run (?:in progress|succeeded|failed|cancelled)/u });
}

async function setUp(page: Page, adminToken: string): Promise<void> {
  await page.getByRole("heading", { name: "Set up Bellhop" }).waitFor();
  await page.getByLabel("Bootstrap token").fill(adminToken);
  await page.getByLabel("Your name").fill(ADA.name);
  await page.getByLabel("Your email").fill(ADA.email);
  await page.getByRole("textbox", { name: "Password" }).fill(ADA.password);
  await page.getByRole("button", { name: "Create admin account" }).click();
  await page.getByRole("button", { name: "Go to the overview" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}

async function createAgent(page: Page, home: AgentHome, url: string): Promise<{ log: () => string }> {
  await page.getByRole("link", { name: "Agents", exact: true }).first().click();
  await page.getByRole("button", { name: "New agent" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("web-1");
  await dialog.getByLabel("Pool").fill("web");
  await dialog.getByRole("button", { name: "Create" }).click();
  const command = await page.locator('pre[aria-label="Enrol"]').textContent();
  const body = JSON.stringify({ code: /bhe_\w+/u.exec(command ?? "")?.[0] });
  const headers = { "Content-Type": "application/json" };
  const enrolled = await fetch(`${url}${AGENT_API_PATH}/enrol`, { method: "POST", headers, body });
  const { data } = enrolAnswer.parse(await enrolled.json());
  const agent = await home.start(url, { env: { AGENT_API_KEY: data.apiKey, ALLOW_PRIVATE_NETWORK: "true" } });
  await dialog.getByText("web-1 is Online").waitFor();
  await dialog.getByRole("link", { name: "Go to the agent" }).click();
  return agent;
}

async function connectOverSsh(page: Page, sshd: Sshd, agent: { log: () => string }): Promise<void> {
  const key = await makeKey();
  await sshd.authorize(key.publicKey);
  await page.getByRole("link", { name: "Connections", exact: true }).click();
  await page.getByRole("link", { name: "New connection" }).first().click();
  await page.getByRole("link", { name: /^SSH/u }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Web server");
  await page.getByRole("textbox", { name: "Host", exact: true }).fill(sshd.host);
  await page.getByRole("textbox", { name: "Port" }).fill(String(sshd.port));
  await page.getByRole("textbox", { name: "User" }).fill(sshd.username);
  await page.getByRole("combobox", { name: "Agent" }).click();
  await page.getByRole("option", { name: /^web-1/u }).click();
  await page.getByRole("button", { name: "Create connection" }).click();
  const dialog = page.getByRole("dialog");
  const printed = await eventually("its fingerprint", () => /"fingerprint":"([^"]+)"/u.exec(agent.log())?.[1]);
  await dialog.getByRole("checkbox", { name: "The target is correct" }).check();
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("textbox", { name: "Fingerprint that web-1 prints" }).fill(printed);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("textbox", { name: "Private key" }).fill(key.privateKey);
  await dialog.getByRole("button", { name: "Encrypt and deliver" }).click();
  await dialog.getByText("Delivered: the agent has it.").waitFor();
  await dialog.getByRole("button", { name: "Test the connection" }).click();
  await dialog.getByText("Test passed", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
}

/** The command is added by mouse, the rest by keyboard. */
async function designWorkflow(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Workflows", exact: true }).click();
  await page.getByRole("link", { name: "New workflow" }).first().click();
  await page.getByLabel("Name").fill("Restart over SSH");
  await page.getByRole("button", { name: /^Webhook/u }).click();
  const canvas = page.locator(".react-flow__pane");
  await page
    .getByRole("button", { name: /^Execute command ssh/u })
    .dragTo(canvas, { targetPosition: { x: 250, y: 350 } });
  const node = page.locator('.react-flow__node:not([data-id="@trigger"])').first();
  await node.click();
  await page.getByRole("combobox", { name: /^Connection/u }).click();
  await page.getByRole("option", { name: /^Web server/u }).click();
  await page.getByRole("textbox", { name: /^Command/u }).fill(COMMAND);
  await node.focus();
  await page.keyboard.press("a");
  await page.getByRole("dialog").getByLabel("Find a step to add").fill("delay");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Wait: unit" }).selectOption("seconds");
  await page.keyboard.press("Control+s");
  await isSaved(page);
  await publish(page);
  const state = page.getByRole("status", { name: "State of the workflow" });
  await state.getByText(/^(?:Live|Deactivated)$/u).waitFor();
}

/** Sends the request of the panel's command with another service's name. */
async function webhookOf(page: Page): Promise<(service: string) => Promise<number>> {
  await page.goto(`${page.url().replace(/\/edit.*$/u, "")}?tab=webhook`);
  await page.getByRole("button", { name: "Activate" }).click();
  await page.getByRole("button", { name: "Generate key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Generate key" }).click();
  const command = page.getByLabel("Command that calls the webhook", { exact: true });
  await command.getByText("whs_").waitFor();
  const shown = (await command.textContent()) ?? "";
  const url = /https?:\/\/[^\s'"]+/u.exec(shown)?.[0] ?? "";
  const secret = /whs_\w+/u.exec(shown)?.[0] ?? "";
  return async (service) => {
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ variables: { service } }) });
    return answer.status;
  };
}

/** From the failed execution to its workflow, with a command that knows every service. */
async function fixWorkflow(page: Page): Promise<void> {
  await page.getByRole("link", { name: /^Workflow, version/u }).click();
  await page.getByRole("link", { name: "Edit" }).click();
  await page.locator('.react-flow__node:not([data-id="@trigger"])').first().click();
  await page.getByRole("textbox", { name: /^Command/u }).fill(FIXED);
  await page.keyboard.press("Control+s");
  await isSaved(page);
  await publish(page);
  const state = page.getByRole("status", { name: "State of the workflow" });
  await state.getByText(/^(?:Live|Deactivated)$/u).waitFor();
}
