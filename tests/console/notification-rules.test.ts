import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { notificationReceiverSchema } from "../../schema/contract/notification-receiver.ts";
import { notificationRuleSchema } from "../../schema/contract/notification-rule.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { failingWorkflow } from "../support/failure-workflows.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { call, dataOf, pageOf } from "../support/management-api.ts";

const HOUR_MS = 60 * 60_000;

describe.skipIf(NO_CHROMIUM !== null)("notification rules in the console", () => {
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

  async function receiver(name: string): Promise<string> {
    const body = { name, type: "slack", to: `${peer.url}/hook` };
    const response = await call(console.bellhop, "POST", "/notification-receivers", body);
    return (await dataOf(response, 201, notificationReceiverSchema)).id;
  }
  const rules = async () =>
    (await pageOf(await call(console.bellhop, "GET", "/notification-rules"), notificationRuleSchema)).items;

  test("a rule is created with quiet hours, tested, changed and deleted", async () => {
    const id = await receiver("Operations");
    const page = await console.pageAs("admin", { at: "/settings/notifications" });
    await page.getByText("No rules yet").waitFor();
    await page.getByRole("button", { name: "New rule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.locator("[aria-invalid=true]").first().waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Payments");
    await dialog.getByRole("combobox", { name: "Workflows" }).selectOption("tags");
    await dialog.getByRole("combobox", { name: "Tags" }).fill("payments");
    await page.keyboard.press("Enter");
    await dialog.getByText("No workflow has the tag payments yet.").waitFor();
    await dialog.getByRole("combobox", { name: "Receivers" }).click();
    await page.getByRole("option", { name: "Operations" }).click();
    await page.keyboard.press("Escape");
    await dialog.getByRole("switch", { name: "Quiet hours" }).click();
    await dialog.getByRole("combobox", { name: "Time zone" }).fill("Europe/Berlin");
    await page.getByRole("option", { name: "Europe/Berlin" }).click();
    await dialog.getByRole("combobox", { name: "Days on which they begin" }).click();
    await page.getByRole("option", { name: "Saturday" }).click();
    await page.keyboard.press("Escape");
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("table").getByText("Payments", { exact: true }).waitFor();
    // The toast lies on the row's buttons.
    await page.getByRole("alert").getByRole("button").click();
    const [made] = await rules();
    expect(made).toMatchObject({
      name: "Payments",
      on: "run_failed",
      when: "first",
      recovered: true,
      scope: { tags: ["payments"] },
      receivers: [id],
      quietHours: { timeZone: "Europe/Berlin", from: "22:00", to: "07:00", days: ["sat"] },
      groupMinutes: 5,
    });

    peer.answer = () => new Response("no_service", { status: 404 });
    await page.getByRole("button", { name: "Send a test of Payments" }).click();
    await dialog.getByText("no_service").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Messages of Payments" }).click();
    await dialog.getByText("This rule has sent no message yet.").waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Edit Payments" }).click();
    await dialog.getByRole("combobox", { name: "Report when" }).selectOption("queue_old");
    expect(await dialog.getByRole("textbox", { name: "For at least (minutes)" }).inputValue()).toBe("15");
    await dialog.getByRole("switch", { name: "Quiet hours" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("A job waits too long for an agent").waitFor();
    expect((await rules())[0]).toMatchObject({ on: "queue_old", minutes: 15, quietHours: null });

    await page.getByRole("button", { name: "Delete Payments" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("No rules yet").waitFor();
    expect(await rules()).toEqual([]);
  });

  test("shows what a rule has collected, and how long it waits", async () => {
    const clock = (inMs: number) => new Date(Date.now() + inMs).toISOString().slice(11, 16);
    const quietHours = { timeZone: "UTC", from: clock(-HOUR_MS), to: clock(2 * HOUR_MS) };
    const body = { name: "Asleep", on: "run_failed", receivers: [await receiver("Night")], quietHours };
    await dataOf(await call(console.bellhop, "POST", "/notification-rules", body), 201, notificationRuleSchema);
    const id = await failingWorkflow(console.bellhop, { name: "Backup" });
    expect((await call(console.bellhop, "POST", `/workflows/${id}/execute`)).status).toBe(201);
    const page = await console.pageAs("viewer", { at: "/settings/notifications" });
    await page.getByRole("button", { name: "Messages of Asleep" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 event waits to be sent as one message").waitFor();
    await dialog.getByText(/^Quiet hours until .+ UTC$/u).waitFor();
    await dialog.getByText('Workflow "Backup" failed').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(peer.requests).toEqual([]);
  });

  test("a viewer sees rules and their messages, and changes nothing", async () => {
    const body = { name: "Seen", on: "database_trouble", receivers: [await receiver("Mail")] };
    await dataOf(await call(console.bellhop, "POST", "/notification-rules", body), 201, notificationRuleSchema);
    const page = await console.pageAs("viewer", { at: "/settings/notifications" });
    await page.getByRole("button", { name: "Messages of Seen" }).waitFor();
    expect(await page.getByRole("button", { name: /New rule|Edit|Delete|Send a test/u }).count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
  });
});
