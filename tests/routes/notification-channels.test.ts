import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { notificationChannelViewSchema } from "../../schema/contract/notification-channel.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, pageOf, problemOf } from "../support/management-api.ts";
import { notify } from "../support/notifications.ts";

const SECRETS = ["smtp-password-1", "sms-token-12345678", `whsec_${btoa("a-key-of-thirty-two-bytes-length")}`];

let bare: Bellhop;
let configured: Bellhop;

beforeAll(async () => {
  [bare, configured] = await Promise.all([
    startBellhop(),
    startBellhop({
      bindings: {
        NOTIFY_EMAIL_FROM: "Bellhop <alerts@example.com>",
        NOTIFY_SMTP_URL: `smtp://alerts:${SECRETS[0]}@mail.example.com`,
        NOTIFY_SMS_ACCOUNT_SID: "AC1",
        NOTIFY_SMS_AUTH_TOKEN: SECRETS[1] ?? "",
        NOTIFY_SMS_FROM: "+15005550006",
        NOTIFY_WEBHOOK_SECRET: SECRETS[2] ?? "",
      },
    }),
  ]);
});
afterAll(async () => {
  await Promise.all([bare?.stop(), configured?.stop()]);
});

async function channelsOf(bellhop: Bellhop) {
  const response = await call(bellhop, "GET", "/notification-channels");
  return (await pageOf(response, notificationChannelViewSchema)).items;
}

const FROM_ENVIRONMENT = { source: "environment", stored: null } as const;

test("every channel says that it is configured, and who sends; no secret is shown", async () => {
  const response = await call(configured, "GET", "/notification-channels");
  const text = await response.text();
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  expect(await channelsOf(configured)).toEqual([
    {
      channel: "email",
      configured: true,
      transport: "smtp",
      from: "Bellhop <alerts@example.com>",
      problems: [],
      ...FROM_ENVIRONMENT,
    },
    { channel: "sms", configured: true, transport: "http", from: "+15005550006", problems: [], ...FROM_ENVIRONMENT },
    { channel: "webhook", configured: true, transport: "http", from: null, problems: [], ...FROM_ENVIRONMENT },
  ]);
});

test("without permission the channels are a 403", async () => {
  const response = await fetch(`${bare.url}/api/v1/automation/notification-channels`);
  await problemOf(response, 401, "unauthorized");
});

describe("a channel that is not configured", () => {
  test("names the settings that are missing", async () => {
    const channels = await channelsOf(bare);
    expect(channels.map(({ channel, configured, from }) => ({ channel, configured, from }))).toEqual([
      { channel: "email", configured: false, from: null },
      { channel: "sms", configured: false, from: null },
      { channel: "webhook", configured: false, from: null },
    ]);
    const named = channels.map(({ problems }) => problems.join(" ").match(/NOTIFY_[A-Z_]+ is not set/gu));
    expect(named).toEqual([
      ["NOTIFY_EMAIL_FROM is not set", "NOTIFY_SMTP_URL is not set"],
      ["NOTIFY_SMS_ACCOUNT_SID is not set", "NOTIFY_SMS_AUTH_TOKEN is not set", "NOTIFY_SMS_FROM is not set"],
      ["NOTIFY_WEBHOOK_SECRET is not set"],
    ]);
  });

  test.each([
    ["email", "ada@example.com", "wrangler secret put NOTIFY_SMTP_URL"],
    ["sms", "+15005550006", "wrangler secret put NOTIFY_SMS_AUTH_TOKEN"],
    ["webhook", "https://example.com/", "wrangler secret put NOTIFY_WEBHOOK_SECRET"],
  ])("%s fails its node with the same message", async (channel, to, what) => {
    const run = await notify(bare, { channel, to, message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code: "channel_not_configured" }, output: null });
    expect(run.error?.message).toContain(what);
  });
});

test("webhooks to this machine are refused unless they are allowed", async () => {
  const run = await notify(configured, { channel: "webhook", to: "http://127.0.0.1:8787/", message: "x" });
  expect(run).toMatchObject({ status: "failed", error: { code: "address_blocked" } });
  expect(run.error?.message).toContain("NOTIFY_WEBHOOK_ALLOW_PRIVATE");
});
