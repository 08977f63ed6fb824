import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { credentialsOf, failed } from "../support/credentials.ts";
import { call, createConnection } from "../support/management-api.ts";

const SSH = { type: "ssh", config: { host: "db-1", username: "ops", authMethod: "password" } };
const OTHER = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEV";

describe.skipIf(NO_CHROMIUM !== null)("the steps of a delivery", () => {
  let console: ConsoleUnderTest;
  let use: ReturnType<typeof credentialsOf>;
  beforeAll(async () => {
    console = await startConsole();
    use = credentialsOf(console.bellhop);
  });
  afterAll(() => console?.stop());

  const partsOf = (page: Page) => {
    const dialog = page.getByRole("dialog");
    return {
      dialog,
      steps: dialog.getByRole("navigation", { name: "Steps of the delivery" }),
      next: dialog.getByRole("button", { name: "Continue" }),
      isCorrect: dialog.getByRole("checkbox", { name: "The target is correct" }),
      fieldOf: (agent: string) => dialog.getByRole("textbox", { name: `Fingerprint that ${agent} prints` }),
      password: dialog.getByRole("textbox", { name: "Password" }),
      send: dialog.getByRole("button", { name: "Encrypt and deliver" }),
    };
  };

  test("by keyboard: who, the comparison, the secret, the delivery and the test, and back before the secret is sent", async () => {
    const agent = await use.startAgent("keyboard");
    const { id } = await createConnection(console.bellhop, { ...SSH, name: "By keyboard", poolId: "keyboard" });
    const [{ fingerprint } = { fingerprint: "" }] = await use.recipientsOf(id);
    const page = await console.pageAs("admin", { at: `/connections/${id}?deliver` });
    const { dialog, steps, next, isCorrect, fieldOf, password, send } = partsOf(page);
    const present = steps.locator("[aria-current=step]");
    await dialog.getByText("Has no credential").waitFor();
    await dialog.getByText("Online").waitFor();
    expect(await next.isDisabled()).toBe(true);
    await dialog.getByText("Confirm the target to continue.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await isCorrect.press("Space");
    await next.press("Enter");

    // The keyboard continues at the title of the step.
    await dialog.getByRole("heading", { name: "Is each key really the agent's?" }).waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Is each key really the agent's?");
    expect(await present.textContent()).toContain("Verify");
    expect(await steps.getByRole("button", { name: "Secret" }).isDisabled()).toBe(true);
    expect(await axeProblems(page)).toEqual([]);
    await fieldOf("an agent").fill(fingerprint);
    await next.press("Enter");
    await password.fill("s3cret-phrase");
    await steps.getByRole("button", { name: "Agents (done)" }).press("Enter");
    await dialog.getByText("Has no credential").waitFor();
    await steps.getByRole("button", { name: "Secret" }).press("Enter");
    expect(await password.inputValue()).toBe("s3cret-phrase");
    expect(await axeProblems(page)).toEqual([]);
    await send.press("Enter");

    await dialog.getByText("Waiting for 1 of 1 to fetch it").waitFor();
    expect(await dialog.getByRole("button", { name: "Test the connection" }).count()).toBe(0);
    expect(await steps.getByRole("button", { name: "Secret (done)" }).isDisabled()).toBe(true);
    expect(await axeProblems(page)).toEqual([]);
    await agent.client.report(success(await use.syncOf(agent)));
    await agent.client.heartbeat([], [{ connectionId: id, version: 1 }]);
    await dialog.getByText("Delivered: the agent has it.").waitFor();
    await dialog.getByRole("button", { name: "Test the connection" }).press("Enter");
    await dialog.getByText("Testing").first().waitFor();
    expect(await present.textContent()).toContain("Test");
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("a pasted fingerprint that matches is confirmed, and another one leads no further", async () => {
    await use.startAgent("pasted");
    const { id } = await createConnection(console.bellhop, { ...SSH, name: "Pasted", poolId: "pasted" });
    const [{ fingerprint } = { fingerprint: "" }] = await use.recipientsOf(id);
    const page = await console.pageAs("admin", { at: `/connections/${id}?deliver`, width: NARROW, dark: true });
    const { dialog, next, isCorrect, fieldOf } = partsOf(page);
    await isCorrect.check();
    await next.click();
    const field = fieldOf("an agent");
    await field.fill(OTHER);
    await dialog.getByText("This is another fingerprint.").waitFor();
    expect(await dialog.getByRole("checkbox").count()).toBe(0);
    expect(await next.isDisabled()).toBe(true);
    expect(await axeProblems(page)).toEqual([]);
    await field.fill(fingerprint.slice(0, 20));
    await dialog.getByText("Copy the 43 characters.").waitFor();
    await field.fill(fingerprint);
    await dialog.getByText("It matches.").waitFor();
    expect(await next.isDisabled()).toBe(false);
    expect(await axeProblems(page)).toEqual([]);
    await field.fill(OTHER);
    expect(await next.isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Why?" }).click();
    await dialog.getByText("may belong to an attacker").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(console.complaints()).toEqual([]);
  });

  test("an agent that a colleague verified must still be compared in this browser", async () => {
    const { id: agentId } = await use.startAgent("verified");
    const { id } = await createConnection(console.bellhop, { ...SSH, name: "Verified", poolId: "verified" });
    const [{ fingerprint } = { fingerprint: "" }] = await use.recipientsOf(id);
    await call(console.bellhop, "POST", `/agents/${agentId}/verify-fingerprint`, { fingerprint });
    const page = await console.pageAs("admin", { at: `/connections/${id}?deliver` });
    const { dialog, next, isCorrect, fieldOf } = partsOf(page);
    await isCorrect.check();
    await next.click();
    await dialog.getByText("Verified by the bootstrap token on").waitFor();
    await dialog.getByText("This is a hint, not a proof").waitFor();
    expect(await next.isDisabled()).toBe(true);
    await fieldOf("an agent").fill(fingerprint);
    await next.click();
    // Viewers then see the person, and a new key has no hint.
    const viewer = await console.pageAs("viewer", { at: `/agents/${agentId}` });
    await viewer.getByText("Verified by admin@example.com on").waitFor();
    expect(await axeProblems(viewer)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });

  test("in a pool, an agent that was compared before is known, a new one is compared, and one can be left out", async () => {
    const first = await use.startAgent("several");
    await call(console.bellhop, "PATCH", `/agents/${first.id}`, { name: "db-1" });
    const { id } = await createConnection(console.bellhop, { ...SSH, name: "Several", poolId: "several" });
    const [{ fingerprint } = { fingerprint: "" }] = await use.recipientsOf(id);
    const page = await console.pageAs("admin", { at: `/connections/${id}?deliver` });
    const { dialog, steps, next, isCorrect, fieldOf, password, send } = partsOf(page);
    await isCorrect.check();
    await next.click();
    await fieldOf("db-1").fill(fingerprint);
    await next.click();
    await password.fill("s3cret-phrase");
    await send.click();
    await first.client.report(failed(await use.syncOf(first), "credential_invalid"));
    await dialog.getByText("1 of 1 did not accept it.").waitFor();
    expect(await dialog.getByRole("button", { name: "Test the connection" }).count()).toBe(0);

    const second = await use.startAgent("several");
    await call(console.bellhop, "PATCH", `/agents/${second.id}`, { name: "db-2" });
    await call(console.bellhop, "POST", `/agents/${second.id}/disable`);
    await page.reload();
    const who = dialog.getByRole("list", { name: "Agents" });
    const rowOf = (name: string) => who.getByRole("listitem").filter({ hasText: name });
    await rowOf("db-1").getByText("Refused version 1").waitFor();
    await rowOf("db-2").getByText("after you enable it").waitFor();
    await next.click();
    await dialog.getByText("Compared in this browser before: db-1.").waitFor();
    await dialog.getByText("On db-2, run:").waitFor();
    expect(await fieldOf("db-1").count()).toBe(0);
    await dialog.getByText("Not compared yet: db-2.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await steps.getByRole("button", { name: "Agents (done)" }).click();
    await rowOf("db-2").getByRole("checkbox").uncheck();
    await next.click();
    await dialog.getByText("It is encrypted in this browser for db-1.").waitFor();
    await password.fill("s3cret-phrase");
    await send.click();
    await first.client.report(failed(await use.syncOf(first), "credential_invalid"));
    await dialog.getByRole("button", { name: "Deliver again" }).click();
    await rowOf("db-1").getByText("Refused version 2").waitFor();
    await dialog.getByText("You confirmed this target with an earlier delivery.").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("agents of one connection with different targets get nothing", async () => {
    await use.startAgent("split");
    await use.startAgent("split");
    const { id } = await createConnection(console.bellhop, { ...SSH, name: "Split", poolId: "split" });
    const page = await console.pageAs("admin", { at: null });
    await page.route("**/recipients", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: (await answer.text()).replace('"db-1"', '"evil.example"') });
    });
    await page.goto(`/connections/${id}?deliver`);
    const { dialog, next } = partsOf(page);
    await dialog.getByText("The target is not the same for all agents").waitFor();
    expect(await next.isDisabled()).toBe(true);
    expect(console.complaints()).toEqual([]);
  });

  test("an editor sees who can deliver a credential, and cannot open the dialog by its URL", async () => {
    const { id } = await createConnection(console.bellhop, { ...SSH, name: "Asked for", poolId: "asked" });
    const page = await console.pageAs("editor", { at: `/connections/${id}?deliver` });
    await page.getByText("ask an administrator: your role does not allow it").waitFor();
    await page.getByRole("link", { name: "Edit" }).waitFor();
    expect(await page.getByRole("button", { name: "Deliver a credential" }).count()).toBe(0);
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "Connections" }).first().click();
    await page
      .getByRole("row", { name: /^Asked for/u })
      .getByText("no credential", { exact: true })
      .waitFor();
  });

  test("a page loaded over plain http explains why it cannot deliver a credential", async () => {
    const { id } = await createConnection(console.bellhop, { ...SSH, name: "Plain", poolId: "plain" });
    const page = await console.pageAs("admin", { at: null });
    await page.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false })");
    await page.goto(`/connections/${id}?deliver`);
    await page.getByText("This page was not loaded over https").waitFor();
    expect(await page.getByRole("dialog").getByRole("textbox").count()).toBe(0);
  });
});
