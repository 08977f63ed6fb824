import { afterAll, beforeAll, expect } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { selfSigned } from "../support/certificate.ts";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer, PeerAnswer, PeerRequest } from "../support/http-peer.ts";
import { MAIL_USER, startMailServer } from "../support/mail-server.ts";
import type { MailServer } from "../support/mail-server.ts";
import { connectionTestSchema } from "../../schema/contract/management.ts";
import { ended } from "../support/management.ts";
import { createConnection, dataOf } from "../support/management-api.ts";
import { nodeOf, notify, outputOf, startNotification } from "../support/notifications.ts";

/** The service sends these, so the row runs over the whole service: its Worker, a mail server, HTTP receivers. */
const WRONG_PASSWORD = "wrong-password-1234";
const SMS_TOKEN = "sms-auth-token-0123456789";
/** The time limit leaves no room for another attempt. */
const ONE_TRY = { timeoutSeconds: 1 };

let mail: MailServer;
let peer: HttpPeer;
let bellhop: Bellhop;
beforeAll(async () => {
  const certificate = await selfSigned("DNS:localhost");
  mail = await startMailServer(certificate);
  peer = startHttpPeer();
  bellhop = await startBellhop({
    bindings: {
      NOTIFY_EMAIL_FROM: "alerts@example.com",
      NOTIFY_SMTP_URL: `smtp://${encodeURIComponent(MAIL_USER)}:${WRONG_PASSWORD}@localhost:${mail.port}?starttls=required`,
      NOTIFY_SMS_API_URL: peer.url,
      NOTIFY_SMS_ACCOUNT_SID: "AC123",
      NOTIFY_SMS_AUTH_TOKEN: SMS_TOKEN,
      NOTIFY_SMS_FROM: "+15005550006",
      NOTIFY_WEBHOOK_SECRET: `whsec_${btoa("a-key-of-thirty-two-bytes-abcdef")}`,
      NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true",
    },
    trustedCertificates: [certificate.cert],
  });
});
afterAll(async () => {
  await bellhop?.stop();
  await peer?.stop();
  await mail?.stop();
});

/** Each cell has its own path at the receiver, which decides the response. */
const answers = new Map<string, () => PeerAnswer>();
function receiver(path: string, answer: () => PeerAnswer): { to: string; requests: () => PeerRequest[] } {
  answers.set(path, answer);
  peer.answer = (request) => answers.get(request.path)?.() ?? new Response("", { status: 401 });
  return { to: `${peer.url}${path}`, requests: () => peer.requests.filter((request) => request.path === path) };
}
const webhook = (to: string) => ({ channel: "webhook", to, message: "the disk is full" });

connectionMatrix("notification", {
  action: {
    run: async () => {
      const { to, requests } = receiver("/taken", () => new Response("thanks"));
      const run = await notify(bellhop, webhook(to));
      expect(run).toMatchObject({ status: "succeeded", error: null });
      expect(outputOf(run)).toMatchObject({ channel: "webhook", statusCode: 200, attempts: [{ result: "accepted" }] });
      expect(JSON.parse(requests()[0]?.body ?? "")).toMatchObject({ data: { message: "the disk is full" } });
    },
  },
  "bad credentials": {
    run: async () => {
      const byMail = await notify(bellhop, { channel: "email", to: "ada@example.com", message: "x" });
      expect(byMail).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(byMail.error?.message).toContain("NOTIFY_SMTP_URL");
      expect(mail.mails).toEqual([]);
      // The receiver answers 401 to every path that no cell has taken.
      receiver("/nothing", () => new Response());
      const bySms = await notify(bellhop, { channel: "sms", to: "+15005550009", message: "x" });
      expect(bySms).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(bySms.error?.message).toContain("NOTIFY_SMS_AUTH_TOKEN");
      for (const secret of [WRONG_PASSWORD, SMS_TOKEN]) {
        expect(JSON.stringify([byMail, bySms])).not.toContain(secret);
      }
    },
  },
  unreachable: {
    run: async () => {
      const run = await notify(bellhop, webhook(`http://127.0.0.1:${await freePort()}/`), ONE_TRY);
      expect(run).toMatchObject({ status: "failed", error: { code: "unreachable" } });
      expect(outputOf(run).attempts).toMatchObject([
        { statusCode: null, detail: expect.stringContaining("connection could not be made") },
      ]);
    },
  },
  "time-out": {
    run: async () => {
      const { to, requests } = receiver("/silent", () => "hang");
      const run = await notify(bellhop, webhook(to), ONE_TRY);
      expect(run).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      expect(outputOf(run).attempts).toMatchObject([{ result: "unknown" }]);
      expect(requests()).toHaveLength(1);
    },
  },
  cancel: {
    run: async () => {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      const { to, requests } = receiver("/busy", () => {
        resolve();
        return new Response("later", { status: 503, headers: { "Retry-After": "3600" } });
      });
      const executionId = await startNotification(bellhop, webhook(to), { timeoutSeconds: 86_400 });
      await asked;
      const cancelled = await bellhop.api("POST", `/api/v1/automation/executions/${executionId}/cancel`);
      expect(cancelled.ok).toBe(true);
      expect(nodeOf(await ended(bellhop, executionId))).toMatchObject({ status: "cancelled" });
      expect(requests()).toHaveLength(1);
    },
  },
  "oversize output": {
    run: async () => {
      let sentBytes = 0;
      let stopped = false;
      const { to } = receiver("/endless", () => {
        const body = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            sentBytes += 65_536;
            controller.enqueue(new Uint8Array(65_536).fill(0x78));
          },
          cancel: () => {
            stopped = true;
          },
        });
        return new Response(body);
      });
      const run = await notify(bellhop, webhook(to));
      expect(run.status).toBe("succeeded");
      expect(Buffer.byteLength(JSON.stringify(run.output))).toBeLessThan(8_192);
      await eventually("the receiver to see the disconnect", () => stopped);
      expect(sentBytes).toBeLessThan(64 * 1_048_576);
    },
  },
  "connection test": {
    run: async () => {
      const { id } = await createConnection(bellhop, {
        name: "alerts",
        type: "notification",
        config: {},
        poolId: null,
      });
      const response = await bellhop.api("POST", `/api/v1/automation/connections/${id}/test`);
      const test = await dataOf(response, 200, connectionTestSchema);
      // The test reports the settings; a wrong login only shows when a message is sent.
      expect(test).toMatchObject({ ok: true });
      expect(test.checks.map(({ ok }) => ok)).toEqual([true, true, true]);
      expect(JSON.stringify(test.checks)).toContain("alerts@example.com");
      for (const secret of [WRONG_PASSWORD, SMS_TOKEN]) expect(JSON.stringify(test)).not.toContain(secret);
      return [test.checks];
    },
  },
});
