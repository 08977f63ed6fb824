import { describe, expect, test } from "bun:test";
import { channelsOfEnvironment } from "../../../worker/services/notification-settings.ts";
import { createMask } from "../../../worker/services/notifications/mask.ts";
import { checkWebhookTarget } from "../../../worker/services/notifications/webhook-target.ts";

const KEY = btoa("a-key-of-thirty-two-bytes-length");

function smtp(url: string) {
  return channelsOfEnvironment({ NOTIFY_EMAIL_FROM: "a@example.com", NOTIFY_SMTP_URL: url }).email;
}

describe("NOTIFY_SMTP_URL", () => {
  test.each([
    ["smtp://mail.example.com", { host: "mail.example.com", port: 587, security: "starttls", login: null }],
    ["smtp://mail.example.com:2525", { port: 2_525, security: "starttls" }],
    ["smtps://mail.example.com", { port: 465, security: "tls" }],
    ["smtp://u:p@127.999.1.1", { host: "127.999.1.1", security: "starttls" }],
    ["smtp://127.0.0.1:25", { host: "127.0.0.1", port: 25, security: "none" }],
    ["smtp://localhost:25?starttls=required", { security: "starttls" }],
    ["smtp://[::1]:25", { host: "::1", security: "none" }],
    ["smtp://a%40b:p%3Aw%2F@mail.example.com", { login: { user: "a@b", password: "p:w/" } }],
  ] as const)("%s", (url, server) => {
    expect(smtp(url)).toMatchObject({ ok: true, settings: { transport: { type: "smtp", server } } });
  });

  test.each([
    "mail.example.com",
    "https://mail.example.com",
    "smtp://",
    "smtp://user@mail.example.com",
    "smtp://u:%zz@x.y",
    "smtp://mail.example.com:0",
  ])("%s is refused", (url) => {
    const settings = smtp(url);
    expect(settings.ok ? [] : settings.problems).toEqual([expect.stringMatching(/^NOTIFY_SMTP_URL/u)]);
  });
});

test("two ways to send mail are refused, rather than choosing one", () => {
  const both = { NOTIFY_SMTP_URL: "smtp://mail.example.com", NOTIFY_EMAIL_API_URL: "https://api.example.com" };
  const settings = channelsOfEnvironment({ NOTIFY_EMAIL_FROM: "a@example.com", ...both }).email;
  expect(settings).toMatchObject({ ok: false, problems: [expect.stringContaining("both set")] });
});

test.each([
  { NOTIFY_SMS_FROM: "0500 555" },
  { NOTIFY_SMS_API_URL: "http://api.example.com" },
  { NOTIFY_SMS_API_URL: "https://user:pw@api.example.com" },
  { NOTIFY_SMS_ACCOUNT_SID: "../admin" },
])("an invalid SMS setting is refused: %j", (changes) => {
  const right = { NOTIFY_SMS_ACCOUNT_SID: "AC1", NOTIFY_SMS_AUTH_TOKEN: "token", NOTIFY_SMS_FROM: "+15005550006" };
  expect(channelsOfEnvironment(right).sms.ok).toBe(true);
  const settings = channelsOfEnvironment({ ...right, ...changes }).sms;
  const [name = ""] = Object.keys(changes);
  expect(settings.ok ? [] : settings.problems).toEqual([expect.stringContaining(`${name} `)]);
});

test.each([
  ["+15005550006", true],
  ["12345", true],
  ["Bellhop", true],
  ["MG0123456789abcdef0123456789abcdef", true],
  ["A name too long", false],
  ["15005550006", false],
])("a message may come from %j: %j", (from, may) => {
  const settings = { NOTIFY_SMS_ACCOUNT_SID: "AC1", NOTIFY_SMS_AUTH_TOKEN: "token", NOTIFY_SMS_FROM: from };
  expect(channelsOfEnvironment(settings).sms.ok).toBe(may);
});

test.each([
  [`whsec_${KEY}`, 1],
  [`whsec_${KEY}  whsec_${KEY}`, 2],
  [KEY, 0],
  ["whsec_short", 0],
  [`whsec_${KEY} ${KEY}`, 0],
  [`whsec_${btoa("x".repeat(65))}`, 0],
  ["whsec_not base64 at all, but long enough to be", 0],
])("NOTIFY_WEBHOOK_SECRET %s has %i keys", (secret, count) => {
  const settings = channelsOfEnvironment({ NOTIFY_WEBHOOK_SECRET: secret }).webhook;
  expect(settings.ok ? settings.settings.keys.length : 0).toBe(count);
});

describe("a webhook's address", () => {
  test.each(["https://example.com/x", "https://8.8.8.8/", "https://[2606:4700::1111]/"])(
    "%s may be called",
    (address) => {
      expect(checkWebhookTarget(address, false).ok).toBe(true);
    },
  );

  test.each([
    "https://127.0.0.1/",
    "https://0x7f.1/",
    "https://2130706433/",
    "http://localhost:8080/",
    "https://LOCALHOST./",
    "https://10.1.2.3/",
    "https://172.20.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://intranet/",
    "https://printer.local/",
    "https://metadata.google.internal/",
  ])("%s may be called only if private addresses are allowed", (address) => {
    expect(checkWebhookTarget(address, false)).toMatchObject({ ok: false, code: "address_blocked" });
    expect(checkWebhookTarget(address, true)).toMatchObject({ ok: true });
  });
});

test("a secret is masked in every form in which it is sent", () => {
  const settings = channelsOfEnvironment({
    NOTIFY_EMAIL_FROM: "a@example.com",
    NOTIFY_SMTP_URL: "smtp://user:p%40ss%22word@mail.example.com",
    NOTIFY_SMS_ACCOUNT_SID: "AC1",
    NOTIFY_SMS_AUTH_TOKEN: "sms-token",
  });
  const mask = createMask(settings);
  const forms = [
    'p@ss"word',
    'p@ss\\"word',
    "p%40ss%22word",
    btoa('p@ss"word'),
    btoa('\0user\0p@ss"word'),
    btoa("AC1:sms-token"),
  ];
  for (const form of forms) expect(mask(`before ${form} after`)).toBe("before *** after");
  expect(mask("one\r\ntwo\0")).toBe("one two");
});
