import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import * as api from "../../schema/contract/api/notifications.ts";
import { notificationReceiverSchema, receiverTestSchema } from "../../schema/contract/notification-receiver.ts";
import { RECEIVER_TESTS_PER_MINUTE } from "../../schema/limits.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { selfSigned } from "../support/certificate.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { MAIL_PASSWORD, MAIL_USER, startMailServer } from "../support/mail-server.ts";
import type { MailServer } from "../support/mail-server.ts";
import { call, dataOf, problemOf } from "../support/management-api.ts";

/** Test messages to receivers, from workerd to real servers. */
const SECRET = "a1b2c3d4e5f6g7h8i9j0k1l2";
const TOKEN = "auth-token-0123456789abcdef";
const KEY = btoa("first-key-of-thirty-two-bytes-ab");

let mail: MailServer;
let peer: HttpPeer;
let bellhop: Bellhop;
let log = "";

const login = (password: string) => `${encodeURIComponent(MAIL_USER)}:${encodeURIComponent(password)}`;
const start = (certificate: string, password: string) =>
  startBellhop({
    bindings: {
      NOTIFY_EMAIL_FROM: "Bellhop <alerts@example.com>",
      NOTIFY_SMTP_URL: `smtp://${login(password)}@localhost:${mail.port}?starttls=required`,
      NOTIFY_SMS_ACCOUNT_SID: "AC1",
      NOTIFY_SMS_AUTH_TOKEN: TOKEN,
      NOTIFY_SMS_FROM: "+15005550001",
      NOTIFY_SMS_API_URL: peer.url,
      NOTIFY_WEBHOOK_SECRET: `whsec_${KEY}`,
      NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true",
    },
    trustedCertificates: [certificate],
    onLogLine: (line) => {
      log += line;
    },
  });

let certificate: { key: string; cert: string };
beforeAll(async () => {
  certificate = await selfSigned("DNS:localhost");
  mail = await startMailServer(certificate);
  peer = startHttpPeer();
  bellhop = await start(certificate.cert, MAIL_PASSWORD);
});
afterAll(async () => {
  await bellhop?.stop();
  await mail?.stop();
  await peer?.stop();
});
beforeEach(() => {
  peer.requests.length = 0;
  peer.answer = () => new Response("ok");
});

async function receiver(type: string, to: unknown, on = bellhop): Promise<string> {
  const made = await call(on, "POST", "/notification-receivers", { name: crypto.randomUUID(), type, to });
  return (await dataOf(made, 201, notificationReceiverSchema)).id;
}

async function tested(id: string, on = bellhop) {
  return dataOf(await call(on, "POST", `/notification-receivers/${id}/test`), 200, receiverTestSchema);
}

describe("a test message", () => {
  test("by mail arrives, and says which receiver it is for", async () => {
    const id = await receiver("email", ["ada@example.com", "Bob <bob@example.com>"]);
    expect(await tested(id)).toMatchObject({ ok: true, result: "accepted", statusCode: 250, error: null });
    const [received] = mail.mailsTo("bob@example.com");
    expect(received).toMatchObject({ to: ["ada@example.com", "bob@example.com"], secure: true });
    expect(received?.text).toContain("Subject: Test message from Bellhop");
    expect(received?.text).toContain("This is a test of the receiver");
  });

  test("by mail names the addresses that the mail server refused", async () => {
    const answer = await tested(await receiver("email", ["ada@example.com", "unknown@example.com"]));
    expect(answer).toMatchObject({ ok: false, result: "accepted", error: { code: "rejected" } });
    expect(answer.error?.message).toContain("unknown@example.com (5.1.1 no such user)");
  });

  test("with a refused login says what to do, and does not show the password", async () => {
    const other = await start(certificate.cert, "another-password-of-mail");
    try {
      const answer = await tested(await receiver("email", "ada@example.com", other), other);
      expect(answer).toMatchObject({ ok: false, result: "refused", error: { code: "authentication_failed" } });
      expect(answer.error?.message).toContain("NOTIFY_SMTP_URL");
      expect(JSON.stringify(answer)).not.toContain("another-password-of-mail");
    } finally {
      await other.stop();
    }
  });

  test("by text message, webhook, Slack and Teams arrives", async () => {
    peer.answer = ({ path }) => (path.includes("Messages") ? Response.json({ sid: "SM1" }) : new Response("ok"));
    expect(await tested(await receiver("sms", "+15005550006"))).toMatchObject({ ok: true });
    for (const type of ["webhook", "slack", "teams"]) {
      expect(await tested(await receiver(type, `${peer.url}/${type}/${SECRET}`))).toMatchObject({ ok: true });
    }
    const posts = peer.requests.filter(({ method }) => method === "POST").map(({ path }) => path);
    expect(posts).toEqual([
      "/2010-04-01/Accounts/AC1/Messages.json",
      `/webhook/${SECRET}`,
      `/slack/${SECRET}`,
      `/teams/${SECRET}`,
    ]);
  });

  test("that is refused answers with the other side's answer and what to do", async () => {
    const id = await receiver("slack", `${peer.url}/services/${SECRET}`);
    peer.answer = ({ path }) => new Response(`no_service ${path}`, { status: 404 });
    const refused = await tested(id);
    expect(refused).toMatchObject({ ok: false, result: "refused", statusCode: 404, error: { code: "rejected" } });
    expect(refused.error?.message).toContain("Check in Slack");
    const location = `${peer.url}/elsewhere`;
    peer.answer = () => new Response("moved", { status: 302, headers: { Location: location } });
    expect(await tested(id)).toMatchObject({ ok: false, statusCode: 302 });
    expect(peer.requests.map(({ path }) => path)).not.toContain("/elsewhere");
  });

  test("that the provider may have sent says so", async () => {
    peer.answer = ({ method }) => (method === "GET" ? Response.json({}) : new Response("busy", { status: 504 }));
    const answer = await tested(await receiver("sms", "+15005550006"));
    expect(answer).toMatchObject({ ok: false, statusCode: 504, error: { code: "outcome_unknown" } });
  });

  test("to a host that does not answer fails", async () => {
    const answer = await tested(await receiver("slack", "http://127.0.0.1:1/services/x"));
    expect(answer).toMatchObject({ ok: false, result: "unknown", error: { code: "unreachable" } });
  });

  test("is in the audit log; no secret is in it, in the answers, the log or the database", async () => {
    const id = await receiver("slack", `${peer.url}/services/${SECRET}`);
    peer.answer = ({ path, body }) => new Response(`${path} ${body}`, { status: 400 });
    const said = [JSON.stringify(await tested(id))];
    const entries = await query(bellhop, "select * from audit_log where subject_id = ? order by id", [id]);
    expect(entries.map(({ verb }) => verb)).toEqual(["create", "test"]);
    for (const table of ["audit_log", "notification_receivers", "idempotency_keys"]) {
      said.push(JSON.stringify(await query(bellhop, `select * from ${table}`)));
    }
    said.push(log, await (await call(bellhop, "GET", "/audit?limit=200")).text());
    said.push(await (await call(bellhop, "GET", "/notification-receivers")).text());
    for (const secret of [SECRET, MAIL_PASSWORD, TOKEN, KEY]) {
      expect(said.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  test("is limited for each receiver, and answers as the description says", async () => {
    const id = await receiver("slack", `${peer.url}/services/${SECRET}`);
    const send = () => call(bellhop, "POST", `/notification-receivers/${id}/test`);
    expect(await undescribed(api.testNotificationReceiver, await send())).toEqual([]);
    for (let sent = 1; sent < RECEIVER_TESTS_PER_MINUTE; sent += 1) expect((await send()).status).toBe(200);
    const refused = await send();
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await undescribed(api.testNotificationReceiver, await send())).toEqual([]);
    await problemOf(refused, 429, "rate_limit_exceeded");
    expect(await tested(await receiver("slack", `${peer.url}/services/${SECRET}`))).toMatchObject({ ok: true });
    const unknown = await call(bellhop, "POST", "/notification-receivers/ntr_none/test");
    await problemOf(unknown, 404, "not_found");
  });
});
