import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import * as api from "../../schema/contract/api/notifications.ts";
import { notificationChannelViewSchema, storedChannelSchema } from "../../schema/contract/notification-channel.ts";
import { openSecrets } from "../../worker/services/notifications/index.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { call, dataOf, errorPathsOf, pageOf, problemOf } from "../support/management-api.ts";
import { createUser, signedIn } from "../support/people.ts";

let bellhop: Service;
let configured: Service;
beforeAll(async () => {
  bellhop = await startApp();
  configured = await startApp({
    bindings: {
      NOTIFY_EMAIL_FROM: "env@example.com",
      NOTIFY_SMTP_URL: "smtp://env:env-password@mail.example.net",
      NOTIFY_WEBHOOK_SECRET: `whsec_${btoa("environment-key-of-32-bytes-abcd")}`,
      NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true",
    },
  });
});
afterAll(async () => {
  await bellhop?.stop();
  await configured?.stop();
});
beforeEach(async () => {
  await query(bellhop, "delete from notification_channels");
  await query(configured, "delete from notification_channels");
});

const PATH = "/notification-channels";
const PASSWORD = "stored-smtp-password";
const KEYS = ["first-key-of-thirty-two-bytes-ab", "other-key-of-thirty-two-bytes-cd"].map(
  (key) => `whsec_${btoa(key)}`,
);
const SMTP = { host: "mail.example.com", port: 587, security: "starttls", user: "alerts", password: PASSWORD };
const email = (smtp: object = {}, more: object = {}) => ({
  from: "Bellhop <alerts@example.com>",
  smtp: { ...SMTP, ...smtp },
  ...more,
});
const byHttp = (http: object = {}) => ({
  from: "alerts@example.com",
  http: { url: "https://mail.example.com/send", key: "stored-api-key", ...http },
});
const sms = (more: object = {}) => ({
  from: "+15005550006",
  accountSid: "AC1",
  authToken: "stored-sms-token",
  ...more,
});
const BODIES = { email: email(), sms: sms(), webhook: { secret: KEYS[0] } } as const;

const put = (channel: string, body: object, on = bellhop) => call(on, "PUT", `${PATH}/${channel}`, body);
const saved = async (channel: string, body: object, on = bellhop) =>
  dataOf(await put(channel, body, on), 200, notificationChannelViewSchema);
const viewOf = async (channel: string, on = bellhop) =>
  (await pageOf(await call(on, "GET", PATH), notificationChannelViewSchema)).items.find(
    (one) => one.channel === channel,
  );

async function storedKeys() {
  const [row] = await query(bellhop, "select settings, sealed_secrets from notification_channels");
  const settings = storedChannelSchema.parse(JSON.parse(String(row?.["settings"])));
  const sealedSecrets = String(row?.["sealed_secrets"]);
  const stored = { channel: "webhook", settings, sealedSecrets, revision: 1, updatedAt: 0 } as const;
  return (await openSecrets(bellhop.serverSecret, stored))?.keys;
}

describe("the settings of a channel", () => {
  test("are stored and shown without their secrets, and deleted", async () => {
    expect(await saved("email", email())).toEqual({
      channel: "email",
      configured: true,
      transport: "smtp",
      from: "Bellhop <alerts@example.com>",
      problems: [],
      source: "stored",
      stored: {
        from: "Bellhop <alerts@example.com>",
        smtp: { host: "mail.example.com", port: 587, security: "starttls", user: "alerts" },
      },
    });
    expect(await saved("email", byHttp())).toMatchObject({
      transport: "http",
      stored: { from: "alerts@example.com", http: { url: "https://mail.example.com/send" } },
    });
    expect(await saved("sms", sms())).toMatchObject({
      configured: true,
      from: "+15005550006",
      stored: { from: "+15005550006", accountSid: "AC1" },
    });
    expect(await saved("webhook", { secret: KEYS[0] })).toMatchObject({ configured: true, stored: { secrets: 1 } });
    for (const channel of Object.keys(BODIES)) {
      const removed = await call(bellhop, "DELETE", `${PATH}/${channel}`);
      const view = await dataOf(removed, 200, notificationChannelViewSchema);
      expect(view).toMatchObject({ configured: false, source: null, stored: null });
      expect((await call(bellhop, "DELETE", `${PATH}/${channel}`)).status).toBe(200);
    }
  });

  test("come before those of the environment, which count again afterwards", async () => {
    expect(await viewOf("email", configured)).toMatchObject({ source: "environment", from: "env@example.com" });
    expect(await saved("email", email(), configured)).toMatchObject({
      source: "stored",
      from: "Bellhop <alerts@example.com>",
    });
    const removed = await call(configured, "DELETE", `${PATH}/email`);
    expect(await dataOf(removed, 200, notificationChannelViewSchema)).toMatchObject({
      configured: true,
      source: "environment",
      from: "env@example.com",
      stored: null,
    });
  });

  test("have an audit entry for each change; no answer, entry or column has a secret", async () => {
    await query(bellhop, "delete from audit_log");
    const said: string[] = [];
    for (const [channel, body] of [...Object.entries(BODIES), ["email", byHttp()] as const]) {
      said.push(await (await put(channel, body)).text());
    }
    await call(bellhop, "DELETE", `${PATH}/sms`);
    await call(bellhop, "DELETE", `${PATH}/sms`);
    for (const body of [email({ port: 0 }), email({ host: "10.0.0.1" }), byHttp({ url: "http://x.example.com" })]) {
      said.push(await (await put("email", body)).text());
    }
    const entries = await query(bellhop, "select verb, subject_type, subject_id from audit_log order by id");
    expect(entries.map((entry) => Object.values(entry).join(" "))).toEqual([
      "update notification-channel email",
      "update notification-channel sms",
      "update notification-channel webhook",
      "update notification-channel email",
      "delete notification-channel sms",
    ]);
    said.push(await (await call(bellhop, "GET", PATH)).text(), await (await call(bellhop, "GET", "/audit")).text());
    for (const table of ["notification_channels", "audit_log", "idempotency_keys"]) {
      said.push(JSON.stringify(await query(bellhop, `select * from ${table}`)));
    }
    for (const secret of [PASSWORD, "stored-api-key", "stored-sms-token", KEYS[0]?.slice(6) ?? ""]) {
      expect(said.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  test("keep a secret that a change leaves out", async () => {
    await saved("email", email());
    const { password: _password, ...without } = SMTP;
    const changed = await saved("email", { from: "other@example.com", smtp: { ...without, user: "other" } });
    expect(changed).toMatchObject({ configured: true, from: "other@example.com", stored: { smtp: { user: "other" } } });
    await saved("sms", sms());
    expect(await saved("sms", { from: "+15005550007", accountSid: "AC2" })).toMatchObject({ configured: true });
  });

  test.each<[channel: string, before: object, after: object, path: string]>([
    ["email", email(), email({ host: "other.example.com", password: undefined }), "smtp.password"],
    ["email", email(), email({ port: 2525, password: undefined }), "smtp.password"],
    ["email", email(), byHttp({ key: undefined }), "http.key"],
    ["email", byHttp(), byHttp({ url: "https://other.example.com/send", key: undefined }), "http.key"],
    ["email", byHttp(), email({ password: undefined }), "smtp.password"],
    ["sms", sms(), sms({ apiUrl: "https://other.example.com/", authToken: undefined }), "authToken"],
    ["sms", sms({ apiUrl: "https://other.example.com/" }), sms({ authToken: undefined }), "authToken"],
  ])("of %s do not take a stored secret to another server", async (channel, before, after, path) => {
    await saved(channel, before);
    const view = await viewOf(channel);
    expect(await errorPathsOf(await put(channel, after))).toEqual([path]);
    expect(await viewOf(channel)).toEqual(view);
  });

  test.each([{ host: "evil.example.com" }, { port: 25 }, { security: "none" }, { user: "other" }])(
    "cannot be opened after someone has changed the server in the database to %j",
    async (change) => {
      await saved("email", email());
      const settings = { from: "a@example.com", smtp: { ...SMTP, password: undefined, ...change } };
      await query(bellhop, "update notification_channels set settings = ?", [JSON.stringify(settings)]);
      const view = await viewOf("email");
      expect(view).toMatchObject({ configured: false, problems: [expect.stringContaining("Enter the secret again")] });
    },
  );

  test("keep their stored secret with another encryption or user of the same server", async () => {
    await saved("email", email());
    const kept = email({ security: "tls", user: "other", password: undefined });
    expect(await saved("email", kept)).toMatchObject({ configured: true, problems: [] });
  });

  test("of webhooks keep the former secret on request, once", async () => {
    expect(await errorPathsOf(await put("webhook", { secret: KEYS[0], keepFormer: true }))).toEqual(["keepFormer"]);
    await saved("webhook", { secret: KEYS[0] });
    expect(await saved("webhook", { secret: KEYS[1], keepFormer: true })).toMatchObject({ stored: { secrets: 2 } });
    expect(await saved("webhook", { secret: KEYS[0], keepFormer: true })).toMatchObject({ stored: { secrets: 2 } });
    // The same request again, after a lost answer, does not count as another change.
    expect(await saved("webhook", { secret: KEYS[0], keepFormer: true })).toMatchObject({ stored: { secrets: 2 } });
    expect((await storedKeys())?.map((key) => `whsec_${key}`)).toEqual(KEYS);
    expect(await saved("webhook", { secret: KEYS[0] })).toMatchObject({ stored: { secrets: 1 } });
    const fromEnvironment = await saved("webhook", { secret: KEYS[0], keepFormer: true }, configured);
    expect(fromEnvironment).toMatchObject({ source: "stored", stored: { secrets: 2 } });
  });

  test.each(["mail.internal", "10.0.0.1", "0x7f.1", "localhost", "::1", "fd00::1", "intranet"])(
    "name a private mail server such as %s only if the operator allows it",
    async (host) => {
      expect(await errorPathsOf(await put("email", email({ host })))).toEqual(["smtp.host"]);
      expect(await saved("email", email({ host }), configured)).toMatchObject({ configured: true });
    },
  );

  test.each<[channel: string, body: object, paths: string[]]>([
    ["email", {}, ["from"]],
    ["email", email({}, { from: "alerts" }), ["from"]],
    ["email", email({}, { from: "" }), ["from"]],
    ["email", email({}, byHttp()), ["smtp"]],
    ["email", { from: "a@example.com" }, ["smtp"]],
    ["email", email({ host: "" }), ["smtp.host"]],
    ["email", email({ host: "mail.example.com:25" }), ["smtp.host"]],
    ["email", email({ host: "https://mail.example.com" }), ["smtp.host"]],
    ["email", email({ host: "a..b" }), ["smtp.host"]],
    ["email", email({ port: 0 }), ["smtp.port"]],
    ["email", email({ port: 65_536 }), ["smtp.port"]],
    ["email", email({ port: "587" }), ["smtp.port"]],
    ["email", email({ security: "ssl" }), ["smtp.security"]],
    ["email", email({ security: "none" }), ["smtp.security"]],
    ["email", email({ user: undefined }), ["smtp.user"]],
    ["email", email({ password: undefined }), ["smtp.password"]],
    ["email", email({ password: "a\nb" }), ["smtp.password"]],
    ["email", email({ user: "a\0b" }), ["smtp.user"]],
    ["email", email({ tls: true }), ["smtp.tls"]],
    ["email", byHttp({ url: "http://mail.example.com/" }), ["http.url"]],
    ["email", byHttp({ url: "https://a:b@mail.example.com/" }), ["http.url"]],
    ["email", byHttp({ url: "https://192.168.1.1/" }), ["http.url"]],
    ["email", byHttp({ url: "https://mail.example.com/send?api_key=k" }), ["http.url"]],
    ["email", byHttp({ url: "https://mail.example.com/send#k" }), ["http.url"]],
    ["email", byHttp({ key: "two words" }), ["http.key"]],
    ["email", byHttp({ key: undefined }), ["http.key"]],
    ["sms", {}, ["accountSid", "from"]],
    ["sms", sms({ from: "not a sender!" }), ["from"]],
    ["sms", sms({ accountSid: "AC/1" }), ["accountSid"]],
    ["sms", sms({ authToken: undefined }), ["authToken"]],
    ["sms", sms({ apiUrl: "ftp://x.example.com" }), ["apiUrl"]],
    ["sms", sms({ apiUrl: "https://localhost/" }), ["apiUrl"]],
    ["sms", sms({ apiUrl: "https://sms.example.com/?token=k" }), ["apiUrl"]],
    ["sms", sms({ smtp: {} }), ["smtp"]],
    ["webhook", {}, ["secret"]],
    ["webhook", { secret: "whsec_short" }, ["secret"]],
    ["webhook", { secret: KEYS.join(" ") }, ["secret"]],
    ["webhook", { secret: KEYS[0], keepFormer: "yes" }, ["keepFormer"]],
    ["webhook", { secret: KEYS[0], colour: "red" }, ["colour"]],
  ])("of %s as %j are refused with the path", async (channel, body, paths) => {
    expect((await errorPathsOf(await put(channel, body))).toSorted()).toEqual(paths);
    expect(await viewOf(channel)).toMatchObject({ stored: null });
  });

  test("exist for three channels", async () => {
    await problemOf(await put("pigeon", {}), 404, "not_found");
    await problemOf(await call(bellhop, "DELETE", `${PATH}/pigeon`), 404, "not_found");
  });

  test("are changed by administrators, and read by viewers", async () => {
    const path = `/api/v1/automation${PATH}`;
    for (const role of ["viewer", "operator", "editor"] as const) {
      const person = await signedIn(bellhop, await createUser(bellhop, { role }));
      expect((await person.call("GET", path)).status).toBe(200);
      await problemOf(await person.call("PUT", `${path}/email`, email()), 403, "forbidden");
      await problemOf(await person.call("DELETE", `${path}/email`), 403, "forbidden");
    }
  });

  test("answer as the description says", async () => {
    for (const [channel, body] of Object.entries(BODIES)) {
      expect(await undescribed(api.setNotificationChannel, await put(channel, body))).toEqual([]);
      expect(await undescribed(api.setNotificationChannel, await put(channel, {}))).toEqual([]);
    }
    expect(await undescribed(api.listNotificationChannels, await call(bellhop, "GET", PATH))).toEqual([]);
    const removed = await call(bellhop, "DELETE", `${PATH}/email`);
    expect(await undescribed(api.removeNotificationChannel, removed)).toEqual([]);
    expect(await undescribed(api.setNotificationChannel, await put("pigeon", {}))).toEqual([]);
  });
});
