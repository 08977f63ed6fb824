import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { notificationChannelViewSchema } from "../../schema/contract/notification-channel.ts";
import { notificationReceiverSchema } from "../../schema/contract/notification-receiver.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { call, pageOf } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("notifications in the console", () => {
  let console: ConsoleUnderTest;
  let peer: HttpPeer;
  beforeAll(async () => {
    console = await startConsole({ bindings: { NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true" } });
  });
  afterAll(() => console.stop());
  beforeEach(() => {
    peer = startHttpPeer();
  });
  afterEach(() => peer.stop());

  const receivers = async () =>
    (await pageOf(await call(console.bellhop, "GET", "/notification-receivers"), notificationReceiverSchema)).items;
  const channel = async (name: string) =>
    (
      await pageOf(await call(console.bellhop, "GET", "/notification-channels"), notificationChannelViewSchema)
    ).items.find((one) => one.channel === name);

  test("a receiver is created, tested, changed without its secret address, and deleted", async () => {
    const page = await console.pageAs("admin", { at: "/settings/notifications" });
    const section = page.getByRole("region", { name: "Receivers" });
    await section.getByText("No receivers yet").waitFor();
    await section.getByRole("button", { name: "New receiver" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Operations");
    await dialog.getByRole("combobox", { name: "Type" }).selectOption("slack");
    await dialog.getByRole("textbox", { name: "Webhook address" }).fill("http://hooks.slack.com/services/x");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Must be an https address").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("textbox", { name: "Webhook address" }).fill(`${peer.url}/services/secret`);
    await dialog.getByRole("button", { name: "Create" }).click();
    await section.getByRole("table").getByText("Operations", { exact: true }).waitFor();
    // The toast lies on the row's buttons.
    await page.getByRole("alert").getByRole("button").click();
    expect(await receivers()).toMatchObject([{ name: "Operations", type: "slack", toShown: `${peer.url}/…` }]);

    await section.getByRole("button", { name: "Send a test to Operations" }).click();
    await dialog.getByText("Sent", { exact: true }).waitFor();
    expect(peer.requests.map(({ path }) => path)).toEqual(["/services/secret"]);
    await page.keyboard.press("Escape");
    peer.answer = () => new Response("no_service", { status: 404 });
    await section.getByRole("button", { name: "Send a test to Operations" }).click();
    await dialog.getByText("Not sent", { exact: true }).waitFor();
    await dialog.getByText("Check in Slack").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await section.getByRole("button", { name: "Edit Operations" }).click();
    await dialog.getByText(`Leave it empty to keep ${peer.url}/…`).waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("On call");
    await dialog.getByRole("button", { name: "Save" }).click();
    await section.getByRole("table").getByText("On call", { exact: true }).waitFor();
    expect(await receivers()).toMatchObject([{ name: "On call", toShown: `${peer.url}/…` }]);
    await page.getByRole("alert").getByRole("button").click();
    await section.getByRole("button", { name: "Delete On call" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await section.getByText("No receivers yet").waitFor();
  });

  test("a channel is set up, its password is kept, and its settings are removed", async () => {
    const page = await console.pageAs("admin", { at: "/settings/notifications" });
    const card = page.getByRole("region", { name: "Email" });
    await card.getByRole("button", { name: "Edit the settings of email" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "From" }).fill("alerts@example.com");
    await dialog.getByRole("textbox", { name: "Host" }).fill("mail.example.com");
    await dialog.getByRole("textbox", { name: "User" }).fill("alerts");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Required.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("textbox", { name: "Password" }).fill("a-password-of-mail");
    await dialog.getByRole("button", { name: "Save" }).click();
    await card.getByText("saved here").waitFor();
    expect(await channel("email")).toMatchObject({ configured: true, source: "stored", from: "alerts@example.com" });
    await page.getByRole("alert").getByRole("button").click();

    await card.getByRole("button", { name: "Edit the settings of email" }).click();
    expect(await dialog.getByRole("textbox", { name: "Password" }).inputValue()).toBe("");
    await dialog.getByRole("textbox", { name: "From" }).fill("other@example.com");
    await dialog.getByRole("button", { name: "Save" }).click();
    await card.getByText("other@example.com").waitFor();
    expect(await channel("email")).toMatchObject({ configured: true, from: "other@example.com" });
    await page.getByRole("alert").getByRole("button").click();
    await card.getByRole("button", { name: "Remove the settings of email" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await card.getByText("Not set up").waitFor();
    expect(await channel("email")).toMatchObject({ source: null, stored: null });
  });

  test("the signing secret of webhooks is generated", async () => {
    const page = await console.pageAs("admin", { at: "/settings/notifications" });
    const card = page.getByRole("region", { name: "Webhook" });
    await card.getByRole("button", { name: "Edit the settings of webhooks" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Generate" }).click();
    expect(await dialog.getByRole("textbox", { name: "Signing secret" }).inputValue()).toMatch(/^whsec_.{44}$/u);
    await dialog.getByRole("button", { name: "Save" }).click();
    await card.getByText("saved here").waitFor();
    expect(await channel("webhook")).toMatchObject({ configured: true, stored: { secrets: 1 } });
  });

  test("a viewer sees channels and receivers, without buttons that change them", async () => {
    const page = await console.pageAs("viewer", { at: "/settings/notifications" });
    await page.getByRole("region", { name: "Receivers" }).getByText("No receivers yet").waitFor();
    expect(await page.getByRole("button", { name: /New receiver|Edit the settings/u }).count()).toBe(0);
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await axeProblems(page)).toEqual([]);
    }
  });
});
