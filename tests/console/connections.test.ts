import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { formsOfSecrets } from "../../agent/mask-forms.ts";
import { newKeyPair, publicPartOf } from "../../agent/vault/crypto.ts";
import { fingerprintOf } from "../../schema/contract/sealing.ts";
import { AgentHome } from "../agent/agent-process.ts";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import { testInFull } from "../support/in-full.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { credentialsOf } from "../support/credentials.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createConnection, createWorkflow, verb } from "../support/management-api.ts";
import { makeKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";

const SSH = { type: "ssh", config: { host: "web-1.internal", username: "deploy", authMethod: "password" } };

/** Every request of a page and everything that it writes to its console. */
function listenTo(page: Page): string[] {
  const heard: string[] = [];
  page.on("console", (message) => heard.push(message.text()));
  page.on("request", (request) => {
    heard.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? "");
  });
  return heard;
}

/** Everything that a page stores in the browser, and its present fields and HTML. */
async function keptBy(page: Page): Promise<string> {
  const kept = await page.evaluate(`(async () => {
    const stores = [...(await indexedDB.databases()).map(({ name }) => name), ...(await caches.keys())];
    if (stores.length > 0) throw new Error("the page keeps something in " + stores.join(", "));
    const fields = [...document.querySelectorAll("input, textarea")].map((field) => field.value);
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie,
      location.href, history.state, fields, document.documentElement.outerHTML]);
  })()`);
  return z.string().parse(kept);
}

const fitsInto = async (page: Page, width: number) =>
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);

describe.skipIf(NO_CHROMIUM !== null)("connections in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test.skipIf(sshdMissing !== null)(
    "an SSH connection is created, its key delivered and tested, and the key never leaves the browser unencrypted",
    async () => {
      const { bellhop } = console;
      const [sshd, key, home] = await Promise.all([Sshd.start(), makeKey(), AgentHome.make()]);
      try {
        await sshd.authorize(key.publicKey);
        const { apiKey } = await createAgent(bellhop, { name: "web-1" });
        const agent = await home.start(bellhop.url, { env: { AGENT_API_KEY: apiKey, ALLOW_PRIVATE_NETWORK: "true" } });
        const page = await console.pageAs("admin", { at: null });
        const heard = listenTo(page);
        await page.goto("/connections");
        await page.getByRole("link", { name: "New connection" }).first().click();
        await page.getByRole("link", { name: /^SSH/u }).click();

        // Problems are shown at their fields before a request is sent.
        const host = page.getByRole("textbox", { name: "Host", exact: true });
        await host.fill("not a host");
        await page.getByRole("button", { name: "Create connection" }).click();
        await page.getByText("Host must be a host name or an IP address.").waitFor();
        await page.getByText("Name must not be empty.").waitFor();
        expect(await axeProblems(page)).toEqual([]);

        await page.getByRole("textbox", { name: "Name" }).fill("Web server");
        await host.fill(sshd.host);
        await page.getByRole("textbox", { name: "Port" }).fill(String(sshd.port));
        await page.getByRole("textbox", { name: "User" }).fill(sshd.username);
        await page.getByRole("combobox", { name: "Agent" }).click();
        await page.getByRole("option", { name: /^web-1/u }).click();
        await page.getByRole("button", { name: "Create connection" }).click();

        const dialog = page.getByRole("dialog");
        await dialog.getByRole("checkbox", { name: "The target is correct" }).check();
        await dialog.getByRole("button", { name: "Continue" }).click();
        // The dialog shows the fingerprint that the agent itself prints.
        const printed = await eventually(
          "the agent prints its fingerprint",
          async () => /"fingerprint":"([^"]+)"/u.exec(agent.log())?.[1],
        );
        await dialog.getByText(printed, { exact: true }).waitFor();
        expect(await dialog.getByRole("button", { name: "Continue" }).isDisabled()).toBe(true);
        await dialog.getByRole("textbox", { name: "Fingerprint that web-1 prints" }).fill(printed);
        await dialog.getByText("It matches.").waitFor();
        await dialog.getByRole("button", { name: "Continue" }).click();
        await dialog.getByRole("textbox", { name: "Private key" }).fill(key.privateKey);
        expect(await axeProblems(page)).toEqual([]);
        await dialog.getByRole("button", { name: "Encrypt and deliver" }).click();
        await dialog.getByText("Delivered: the agent has it.").waitFor();
        await dialog.getByRole("button", { name: "Test the connection" }).click();
        await dialog.getByText("Authentication: ok").waitFor();
        await dialog.getByText("SSH handshake: ok").waitFor();
        await dialog.getByText("Test passed", { exact: true }).waitFor();
        expect(await axeProblems(page)).toEqual([]);
        await dialog.getByRole("button", { name: "Close" }).last().click();
        await dialog.waitFor({ state: "detached" });
        await page.getByText("Test passed", { exact: true }).waitFor();
        // The outcome stays after a visit to another page.
        await page.getByRole("link", { name: "Agents", exact: true }).click();
        await page.goBack();
        await page.getByText("Authentication: ok").waitFor();
        expect(await axeProblems(page)).toEqual([]);

        const traffic = heard.join("\n");
        const everything = `${traffic}\n${await keptBy(page)}`;
        const forms = [...formsOfSecrets({ privateKey: key.privateKey }), encodeURIComponent(key.privateKey)];
        expect(forms.filter((form) => everything.includes(form))).toEqual([]);
        // The recorded traffic is not empty.
        expect(traffic).toContain(`"jwe":"eyJ`);
        expect(everything).toContain(printed);
        expect(console.complaints()).toEqual([]);
      } finally {
        await home.remove();
        await sshd.stop();
      }
    },
  );

  test("a changed or forged fingerprint shows a warning and must be compared again", async () => {
    const { bellhop } = console;
    const use = credentialsOf(bellhop);
    const member = await use.startAgent("prints");
    await createAgent(bellhop, { name: "never started", poolId: "prints" });
    const { id } = await createConnection(bellhop, { ...SSH, name: "Printed", poolId: "prints" });
    const [{ fingerprint: former } = { fingerprint: "" }] = await use.recipientsOf(id);
    const page = await console.pageAs("admin", { at: `/connections/${id}?deliver`, width: NARROW });
    const dialog = page.getByRole("dialog");
    const next = dialog.getByRole("button", { name: "Continue" });
    const byEye = dialog.getByRole("checkbox", { name: "I compared it by eye" });
    const send = dialog.getByRole("button", { name: "Encrypt and deliver" });
    await dialog.getByText("No public key to encrypt for.").waitFor();
    await dialog.getByRole("link", { name: "Start this agent once" }).waitFor();
    await dialog.getByRole("checkbox", { name: "The target is correct" }).check();
    await next.click();
    await byEye.check();
    await next.click();
    await dialog.getByRole("button", { name: "Encrypt and deliver" }).click();
    await dialog.getByText("Password is required.").waitFor();
    const tooShort = dialog.getByText("Password is shorter than 6 characters: it will not be masked in output.");
    await dialog.getByRole("textbox", { name: "Password" }).fill("short");
    await tooShort.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("textbox", { name: "Password" }).fill("a password");
    await tooShort.waitFor({ state: "detached" });
    await page.mouse.move(0, 0);
    await fitsInto(page, NARROW);
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Encrypt and deliver" }).click();
    await dialog.getByText("Waiting for 1 of 1 to fetch it").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();

    // The fingerprint was compared here, so the dialog does not ask again. The typed secret is gone.
    await page.getByRole("button", { name: "Deliver a credential" }).click();
    await dialog.getByText("You confirmed this target with an earlier delivery.").waitFor();
    await next.click();
    expect(await dialog.getByRole("textbox", { name: "Password" }).inputValue()).toBe("");
    await dialog.getByRole("button", { name: "Verify (done)" }).click();
    await dialog.getByText("There is nothing to compare").waitFor();
    expect(await keptBy(page)).not.toContain("a password");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // The focus returns to the button that opened the dialog.
    const focused = "document.activeElement.textContent";
    await eventually("the focus is back", async () => (await page.evaluate(focused)) === "Deliver a credential");

    await member.client.register({ publicKey: publicPartOf(newKeyPair()) });
    await page.getByRole("button", { name: "Deliver a credential" }).click();
    await next.click();
    await dialog.getByText("This fingerprint has changed").waitFor();
    await dialog.getByText(former, { exact: true }).waitFor();
    expect(await next.isDisabled()).toBe(true);

    // A key that changes while the dialog is open was not compared: the dialog returns to that step.
    await byEye.check();
    await next.click();
    await dialog.getByRole("textbox", { name: "Password" }).fill("a password");
    const third = publicPartOf(newKeyPair());
    await member.client.register({ publicKey: third });
    await send.click();
    await dialog.getByText("has changed, or the connection").waitFor();
    await dialog.getByText(await fingerprintOf({ publicKey: third }), { exact: true }).waitFor();
    await dialog.getByText("This fingerprint has changed").waitFor();
    expect(await byEye.isChecked()).toBe(false);
    expect(await next.isDisabled()).toBe(true);
    expect(await dialog.getByRole("button", { name: "Secret" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");

    // The service's fingerprint does not match the key that it sent.
    await page.route("**/recipients", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replaceAll(/"fingerprint":"[^"]+"/gu, `"fingerprint":"${former}"`);
      await route.fulfill({ response: answer, body });
    });
    await page.getByRole("button", { name: "Deliver a credential" }).click();
    await dialog.getByText("The fingerprint does not match the key").waitFor();
    expect(await dialog.getByRole("list", { name: "Agents" }).getByRole("checkbox").count()).toBe(0);
    expect(await next.isDisabled()).toBe(true);
    expect(console.complaints()).toEqual([]);
  });

  testInFull("a connection test without an agent to run it shows why it waits, and later its outcome", async () => {
    const { bellhop } = console;
    const { client } = await credentialsOf(bellhop).startAgent("slow");
    const { id } = await createConnection(bellhop, { name: "Slow", poolId: "slow" });
    const page = await console.pageAs("operator", { at: `/connections/${id}` });
    await page.getByRole("button", { name: "Test the connection" }).click();
    const job = await eventually("the test reaches its agent", async () => (await client.poll()).jobs[0]);
    await page.getByText("You can leave this page").waitFor();
    await page.getByText("Testing on an agent").waitFor();
    const checks = [{ name: "Shell", ok: false, detail: "bash is not there: install it" }];
    await client.report(success(job, { ok: false, latencyMs: 1_250, checks }));
    await page.getByText("Shell: failed").waitFor();
    await page.getByText("bash is not there: install it").waitFor();
    await page.getByText("Test failed").waitFor();
    expect(await page.getByText("1.3 s").count()).toBe(1);
    expect(console.complaints()).toEqual([]);
  });

  test("a concurrent change is shown, and deleting a connection of published workflows asks a second time", async () => {
    const { bellhop } = console;
    const connection = await createConnection(bellhop, { ...SSH, name: "Shared", poolId: "shared" });
    const { id } = connection;
    const step = { id: "a", type: "action", action: "ssh.executeCommand", connectionId: id, params: { command: "df" } };
    const definition = { nodes: [step], edges: [] };
    const workflow = await createWorkflow(bellhop, { name: "Make room", trigger: { type: "manual" }, definition });
    await verb(bellhop, workflow.id, "publish");

    const page = await console.pageAs("editor", { at: `/connections/${id}/edit` });
    const user = page.getByRole("textbox", { name: "User" });
    await user.fill("bellhop");
    await call(bellhop, "PATCH", `/connections/${id}`, { name: "Shared by all" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Its name is now Shared by all.").waitFor();
    expect(await user.inputValue()).toBe("bellhop");
    await page.getByRole("button", { name: "Save mine anyway" }).click();
    await page.getByRole("heading", { level: 1, name: "Shared by all" }).waitFor();
    await page.getByText("bellhop", { exact: true }).waitFor();

    await page.getByRole("link", { name: "Make room" }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByText("steps that use it fail when they run.").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete connection" }).click();
    const dialog = page.getByRole("dialog", { name: "Published workflows use Shared by all" });
    await dialog.getByRole("link", { name: "Make room" }).waitFor();
    await dialog.getByRole("button", { name: "Delete anyway" }).click();
    await page.waitForURL("**/connections");
    expect((await call(bellhop, "GET", `/connections/${id}`)).status).toBe(404);
    expect(console.complaints()).toEqual([]);
  });

  testInFull("the list is filtered by text and type, and offers a viewer only permitted actions", async () => {
    const { bellhop } = console;
    const { id } = await createConnection(bellhop, { ...SSH, name: "Findable", poolId: "found" });
    const page = await console.pageAs("viewer", { at: "/connections" });
    await page.getByRole("textbox", { name: "Search" }).fill("findable web-1");
    await page.getByRole("link", { name: "Findable" }).waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
    expect(await axeProblems(page)).toEqual([]);
    await page.goto("/connections?type=http&q=findable");
    await page.getByText("No connections match").waitFor();
    await page.setViewportSize({ width: NARROW, height: 800 });
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("link", { name: "Findable" }).click();
    await page.getByRole("region", { name: "Credential" }).getByText("Its pool has no agent yet").waitFor();
    await page.getByText("Your role cannot test connections.").waitFor();
    await fitsInto(page, NARROW);
    expect(await axeProblems(page)).toEqual([]);
    for (const name of ["Edit", "More", "Test the connection", "Deliver a credential"]) {
      expect(await page.getByRole("main").getByRole("button", { name }).count()).toBe(0);
    }
    expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
    for (const path of [`/connections/${id}/edit`, "/connections/new"]) {
      await page.goto(path);
      await page.getByText("You do not have access to this").waitFor();
    }
    expect(console.complaints()).toEqual([]);
  });
});
