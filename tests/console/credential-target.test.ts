import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { credentialsOf } from "../support/credentials.ts";
import { digestOf } from "../support/credential-targets.ts";
import { createConnection } from "../support/management-api.ts";

const SSH = { type: "ssh", config: { host: "web-1.internal", username: "deploy", authMethod: "password" } };

if (NO_CHROMIUM !== null) console.log(`skipped  targets of credentials in a browser: ${NO_CHROMIUM}`);

describe.skipIf(NO_CHROMIUM !== null)("the target of a credential in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("an edit that makes the credential unusable shows a warning, and the next delivery confirms the target again", async () => {
    const { bellhop } = console;
    const use = credentialsOf(bellhop);
    const agent = await use.startAgent(null);
    const { id } = await createConnection(bellhop, { ...SSH, name: "Bound", poolId: null, agentId: agent.id });
    const page = await console.pageAs("admin", { at: `/connections/${id}?deliver` });
    const dialog = page.getByRole("dialog");
    const [recipient] = await use.recipientsOf(id);
    const target = dialog.getByLabel("Where the credential will be used");
    const isCorrect = dialog.getByRole("checkbox", { name: "The target is correct" });
    const next = dialog.getByRole("button", { name: "Continue" });
    const deliver = async () => {
      await dialog.getByRole("textbox", { name: "Password" }).fill("a password");
      await dialog.getByRole("button", { name: "Encrypt and deliver" }).click();
      await agent.client.report(success(await use.syncOf(agent)));
      await dialog.getByText("Delivered: the agent has it.").waitFor();
      await dialog.getByRole("button", { name: "Close" }).last().click();
    };
    await target.getByText("web-1.internal", { exact: true }).waitFor();
    expect(await isCorrect.isChecked()).toBe(false);
    await isCorrect.check();
    await next.click();
    await dialog.getByRole("checkbox", { name: "I compared it by eye" }).check();
    await next.click();
    await deliver();

    await page.getByRole("link", { name: "Edit" }).click();
    const warning = page.getByText("Changing the host makes the delivered credential unusable");
    const host = page.getByRole("textbox", { name: "Host", exact: true });
    await host.waitFor();
    expect(await warning.count()).toBe(0);
    await host.fill("web-2.internal");
    await warning.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The connection's host changed after this credential was delivered").waitFor();
    expect(await page.getByText("It is encrypted and waits").count()).toBe(0);
    const statuses = page.getByRole("list", { name: "The credential on each agent" });
    await statuses.getByText("deliver again", { exact: true }).waitFor();
    expect(await statuses.getByText("pending", { exact: true }).count()).toBe(0);
    await agent.client.heartbeat([], [{ connectionId: id, version: 1, target: digestOf(recipient?.target ?? []) }]);
    await page.getByText("This credential is for:").waitFor();
    const boundTo = page.getByLabel("Where the agent's credential may be used");
    await boundTo.getByText("web-1.internal", { exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "Edit" }).click();
    await host.fill("web-1.internal");
    await page.getByText("This makes the credential usable again").waitFor();
    expect(await page.getByText("This makes the credential unusable").count()).toBe(0);
    await page.goBack();

    await page.getByRole("button", { name: "Deliver a credential" }).click();
    await dialog.getByText("The target has changed").waitFor();
    await target.getByText("web-2.internal", { exact: true }).waitFor();
    await dialog.getByText("Has version 1, which it cannot use").waitFor();
    expect(await isCorrect.isChecked()).toBe(false);
    expect(await next.isDisabled()).toBe(true);
    expect(await axeProblems(page)).toEqual([]);
    await isCorrect.check();
    await next.click();
    await deliver();
    await page.getByText("The agent has it in its vault.").waitFor();
    expect(console.complaints()).toEqual([]);
  });
});
