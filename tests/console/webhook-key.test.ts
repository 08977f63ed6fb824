import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { createWorkflow, verb } from "../support/management-api.ts";
import { signedHeaders } from "../support/webhook-signers.ts";

describe.skipIf(NO_CHROMIUM !== null)("the webhook tab", () => {
  let console: ConsoleUnderTest;
  let page: Page;
  beforeAll(async () => {
    console = await startConsole();
    page = await console.pageAs("editor", { at: null });
  });
  afterAll(() => console.stop());

  const dialog = () => page.getByRole("dialog");
  const verification = () => dialog().getByLabel("Callers are verified by");

  test("lets a person choose how the webhook verifies its callers, and replace its secret", async () => {
    const { bellhop } = console;
    const { id } = await createWorkflow(bellhop, { name: "Signed" });
    await verb(bellhop, id, "publish");
    await verb(bellhop, id, "activate");
    await page.goto(`/workflows/${id}?tab=webhook`);
    await page.getByRole("button", { name: "Generate key" }).click();

    await verification().selectOption("Secret in the URL");
    await dialog().getByText("Everyone who sees the URL can start this workflow").waitFor();
    expect(await axeProblems(page)).toEqual([]);

    await verification().selectOption("Slack signature");
    await dialog().getByRole("button", { name: "Generate key" }).click();
    await dialog().getByText("Is required: copy the signing secret from slack.").waitFor();

    await verification().selectOption("Another HMAC-SHA256 signature");
    await dialog().getByRole("button", { name: "Generate key" }).click();
    await dialog().getByText("Must be the name of a header.").waitFor();
    await dialog().getByText("Anyone who records a request can start another run with it").waitFor();
    await dialog().getByLabel("Header with the signature").fill("X-Sign");
    await dialog().getByLabel("Prefix").fill("sha256=");
    await dialog().getByRole("textbox", { name: "Signing secret" }).fill("the-sender-chose-this");
    expect(await axeProblems(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Generate key" }).click();
    await page.getByText("The webhook accepts requests signed with the secret that you entered.").waitFor();
    await page.getByText("Callers are verified by: Another HMAC-SHA256 signature.").waitFor();
    await page.getByText("there is no command to try").waitFor();

    const url = await page.getByLabel("Webhook URL", { exact: true }).textContent();
    const by = async (secret: string) => {
      const body = JSON.stringify({ variables: { nonce: crypto.randomUUID() } });
      const scheme = { type: "hmac", scheme: "generic", header: "X-Sign", encoding: "hex", prefix: "sha256=" } as const;
      const headers = { "Content-Type": "application/json", ...signedHeaders(scheme, secret, body) };
      return (await fetch(url ?? "", { method: "POST", headers, body })).status;
    };
    expect(await by("the-sender-chose-this")).toBe(200);

    await page.getByRole("button", { name: "Replace secret" }).click();
    expect(await axeProblems(page)).toEqual([]);
    await dialog().getByLabel("The old secret works for").selectOption("1 hour");
    await dialog().getByRole("textbox", { name: "Signing secret" }).fill("the-sender-has-a-new-one");
    await dialog().getByRole("button", { name: "Replace secret" }).click();
    await page.getByText("The old secret works until").waitFor();
    expect([await by("the-sender-chose-this"), await by("the-sender-has-a-new-one")]).toEqual([200, 200]);

    const deliveries = page.getByRole("table", { name: "Last deliveries" });
    expect(await axeProblems(page)).toEqual([]);
    await fetch(url ?? "", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" });
    await page.reload();
    await deliveries.getByText("The secret or signature is missing or wrong.").waitFor();
    expect(await deliveries.getByText("Started a run").count()).toBe(3);
    await page.getByLabel("Requests a minute").fill("120");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The rate is saved").waitFor();
    await page.getByText("At most 120 calls a minute.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
