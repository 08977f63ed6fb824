import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { notificationChannelViewSchema } from "../../schema/contract/notification-channel.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { selfSigned } from "../support/certificate.ts";
import { query } from "../support/database.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { MAIL_PASSWORD, MAIL_USER, startMailServer } from "../support/mail-server.ts";
import type { MailServer } from "../support/mail-server.ts";
import { call, dataOf, pageOf } from "../support/management-api.ts";
import { notify, outputOf } from "../support/notifications.ts";

/** Channels whose settings are stored, from workflows in workerd to real servers. */
const TOKEN = "stored-token-0123456789abcdef";
const KEY = btoa("stored-key-of-thirty-two-bytes-a");
const MAIL = { channel: "email", to: "ada@example.com", message: "x" };

let mail: MailServer;
let peer: HttpPeer;
let bellhop: Bellhop;
let log = "";

beforeAll(async () => {
  const certificate = await selfSigned("DNS:localhost");
  mail = await startMailServer(certificate);
  peer = startHttpPeer();
  bellhop = await startBellhop({
    bindings: {
      // A mail server that does not exist: what arrives was sent by the stored settings.
      NOTIFY_EMAIL_FROM: "environment@example.com",
      NOTIFY_SMTP_URL: "smtp://user:environment-word@127.0.0.1:1",
      NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true",
    },
    trustedCertificates: [certificate.cert],
    onLogLine: (line) => {
      log += line;
    },
  });
});
afterAll(async () => {
  await bellhop?.stop();
  await mail?.stop();
  await peer?.stop();
});
beforeEach(() => {
  peer.requests.length = 0;
  peer.answer = () => Response.json({ sid: "SM1" });
});

async function store(channel: string, body: object) {
  const answer = await call(bellhop, "PUT", `/notification-channels/${channel}`, body);
  return dataOf(answer, 200, notificationChannelViewSchema);
}

function storeMail(password = MAIL_PASSWORD) {
  const server = { host: "localhost", port: mail.port, security: "starttls", user: MAIL_USER, password };
  return store("email", { from: "Stored <stored@example.com>", smtp: server });
}

describe("a stored channel", () => {
  test("sends mail with its login and sender instead of the environment's", async () => {
    await storeMail();
    expect(await notify(bellhop, MAIL)).toMatchObject({ status: "succeeded" });
    expect(mail.mails.at(-1)).toMatchObject({ from: "stored@example.com", user: MAIL_USER, secure: true });
  });

  test("with a wrong password says where to enter it, and the server's answer does not show it", async () => {
    await storeMail("wrong-stored-password");
    const run = await notify(bellhop, MAIL);
    expect(run).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
    expect(run.error?.message).toContain("Settings → Notifications");
    expect(JSON.stringify(run)).toContain("wrong password ***");
    expect(JSON.stringify(run)).not.toContain("wrong-stored-password");
    await storeMail();
  });

  test("sends text messages and signed webhooks", async () => {
    await store("sms", { from: "+15005550001", accountSid: "AC9", authToken: TOKEN, apiUrl: peer.url });
    await store("webhook", { secret: `whsec_${KEY}` });
    expect(await notify(bellhop, { channel: "sms", to: "+15005550006", message: "x" })).toMatchObject({
      status: "succeeded",
    });
    const [, post] = peer.requests;
    expect(post?.headers.get("authorization")).toBe(`Basic ${btoa(`AC9:${TOKEN}`)}`);
    peer.answer = ({ headers }) => new Response(`${KEY} ${headers.get("webhook-signature")}`);
    const run = await notify(bellhop, { channel: "webhook", to: peer.url, message: "x" });
    expect(outputOf(run).attempts[0]?.detail).toStartWith("*** v1,");
  });

  test("counts with its last known settings while the database is away for a moment", async () => {
    await storeMail();
    await notify(bellhop, MAIL);
    const before = mail.mails.length;
    await bellhop.stopLibsql();
    await bellhop.startLibsql();
    expect(await notify(bellhop, MAIL)).toMatchObject({ status: "succeeded" });
    expect(mail.mails.length).toBe(before + 1);
  });

  test("survives a restart of the service", async () => {
    await storeMail();
    await bellhop.restartWorker();
    expect(await notify(bellhop, MAIL)).toMatchObject({ status: "succeeded" });
  });

  test("is in no log line, answer or column with its secrets", async () => {
    const said = [log, await (await call(bellhop, "GET", "/notification-channels")).text()];
    for (const table of ["notification_channels", "audit_log", "executions", "node_runs", "node_run_outputs", "jobs"]) {
      said.push(JSON.stringify(await query(bellhop, `select * from ${table}`)));
    }
    for (const secret of [MAIL_PASSWORD, "wrong-stored-password", TOKEN, KEY]) {
      expect(said.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  test("that is deleted gives way to the environment", async () => {
    await storeMail();
    await call(bellhop, "DELETE", "/notification-channels/email");
    const { items } = await pageOf(await call(bellhop, "GET", "/notification-channels"), notificationChannelViewSchema);
    expect(items[0]).toMatchObject({ channel: "email", source: "environment", from: "environment@example.com" });
    const run = await notify(bellhop, MAIL, { timeoutSeconds: 1 });
    expect(run.status).not.toBe("succeeded");
  });
});
