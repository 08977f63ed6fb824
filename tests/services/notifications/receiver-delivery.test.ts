import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import { judgeAnswer } from "../../../worker/domain/notification/answer.ts";
import { sealText } from "../../../worker/services/sealed-text.ts";
import { settingsOf } from "../../../worker/services/settings.ts";
import { prepareReceiverDelivery } from "../../../worker/services/notifications/index.ts";
import { startHttpPeer } from "../../support/http-peer.ts";
import type { HttpPeer } from "../../support/http-peer.ts";

const SERVER_SECRET = "a-secret-of-this-deployment-for-tests";
const SECRET = "a1b2c3d4e5f6g7h8i9j0k1l2";
const MESSAGE = {
  id: "notice_1",
  at: Date.parse("2026-12-01T12:00:00Z"),
  subject: "Run failed",
  text: "Restart <web>\nfailed.",
  url: "https://bellhop.example.com/executions/exe_1",
};
const deps = (env: object = {}) => ({
  settings: settingsOf({ BELLHOP_SECRET: SERVER_SECRET, NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true", ...env }),
  get db(): never {
    throw new Error("the rows of channels are given");
  },
  now: Date.now,
});
/** No channel is stored. */
const ROWS: [] = [];

let peer: HttpPeer;
beforeEach(() => {
  peer = startHttpPeer();
});
afterEach(() => peer.stop());

async function addressed(type: ReceiverType, address: string, serverSecret = SERVER_SECRET) {
  const id = "ntr_1";
  return { id, type, recipients: null, sealedAddress: await sealText(serverSecret, id, address), shown: "shown" };
}

function readable(type: ReceiverType, to: string) {
  return { id: "ntr_1", type, recipients: [to], sealedAddress: null, shown: to };
}

async function send(type: ReceiverType, { address = `${peer.url}/${SECRET}`, message = MESSAGE, env = {} } = {}) {
  const prepared = await prepareReceiverDelivery(deps(env), await addressed(type, address), message, ROWS);
  if (!prepared.ok) throw new Error(prepared.failure.message);
  const attempt = { signal: AbortSignal.timeout(10_000), noteHandover: () => Promise.resolve() };
  return prepared.delivery.send(new Set(), attempt);
}

describe("a notice", () => {
  test("reaches Slack as a block of text and a link", async () => {
    expect(await send("slack")).toMatchObject({ type: "accepted", statusCode: 200 });
    const [request] = peer.requests;
    expect(request).toMatchObject({ method: "POST", path: `/${SECRET}` });
    expect(JSON.parse(request?.body ?? "")).toMatchObject({
      text: "Run failed\nRestart &lt;web&gt;\nfailed.",
      blocks: [
        {
          type: "rich_text",
          elements: [
            { elements: [{ type: "text", text: "Run failed" }] },
            { elements: [{ type: "text", text: "Restart <web>\nfailed." }] },
            { elements: [{ type: "link", url: MESSAGE.url }] },
          ],
        },
      ],
    });
  });

  test("reaches Teams as a card, which it accepts with 202", async () => {
    peer.answer = () => new Response(null, { status: 202 });
    expect(await send("teams")).toMatchObject({ type: "accepted", statusCode: 202 });
    expect(JSON.parse(peer.requests[0]?.body ?? "")).toMatchObject({
      type: "message",
      attachments: [{ content: { type: "AdaptiveCard" } }],
    });
  });

  test("reaches a signed webhook with the same id and body at every attempt", async () => {
    const env = { NOTIFY_WEBHOOK_SECRET: `whsec_${btoa("first-key-of-thirty-two-bytes-ab")}` };
    await send("webhook", { env });
    await send("webhook", { env });
    const [first, second] = peer.requests;
    expect(first?.headers.get("webhook-id")).toBe("msg_notice_1");
    expect(second?.headers.get("webhook-id")).toBe("msg_notice_1");
    expect(second?.body).toBe(first?.body ?? "");
    expect(JSON.parse(first?.body ?? "")).toEqual({
      type: "bellhop.notification",
      timestamp: "2026-12-01T12:00:00.000Z",
      data: {
        message: MESSAGE.text,
        subject: MESSAGE.subject,
        url: MESSAGE.url,
        executionId: null,
        workflowId: null,
        nodeRunId: null,
      },
    });
  });

  test("by text message keeps its link, and as much of the text as fits", async () => {
    peer.answer = () => Response.json({ sid: "SM1" });
    const env = {
      NOTIFY_SMS_ACCOUNT_SID: "AC1",
      NOTIFY_SMS_AUTH_TOKEN: "token-of-the-account",
      NOTIFY_SMS_FROM: "+15005550006",
      NOTIFY_SMS_API_URL: peer.url,
    };
    const prepared = await prepareReceiverDelivery(
      deps(env),
      readable("sms", "+15005550007"),
      {
        ...MESSAGE,
        text: "é".repeat(3_000),
      },
      ROWS,
    );
    if (!prepared.ok) throw new Error(prepared.failure.message);
    await prepared.delivery.send(new Set(), {
      signal: AbortSignal.timeout(10_000),
      noteHandover: () => Promise.resolve(),
    });
    const form = new URLSearchParams(peer.requests.at(-1)?.body);
    const text = form.get("Body") ?? "";
    expect(form.get("To")).toBe("+15005550007");
    expect(text).toHaveLength(1_600);
    expect(text).toStartWith("Run failed\né");
    expect(text).toEndWith(`…\n${MESSAGE.url}`);
  });

  test("that is too long is cut", async () => {
    await send("slack", { message: { ...MESSAGE, text: "ä".repeat(50_000) } });
    expect(Buffer.byteLength(peer.requests[0]?.body ?? "")).toBeLessThan(25_000);
  });
});

describe("an answer", () => {
  test.each<[ReceiverType, number, string, string]>([
    ["slack", 404, "failed", "rejected"],
    ["slack", 410, "failed", "rejected"],
    ["slack", 403, "failed", "authentication_failed"],
    ["slack", 302, "failed", "rejected"],
    ["slack", 429, "retry", "unavailable"],
    ["teams", 401, "failed", "authentication_failed"],
    ["teams", 400, "failed", "rejected"],
    ["teams", 502, "retry", "unavailable"],
  ])("of %s with %i is judged as %s: %s", async (type, status, next, code) => {
    peer.answer = () => new Response("no", { status, headers: { Location: `${peer.url}/elsewhere` } });
    expect(judgeAnswer(type, await send(type), false)).toMatchObject({ next, error: { code } });
    expect(peer.requests).toHaveLength(1);
  });

  test("with Retry-After delays the next attempt", async () => {
    peer.answer = () => new Response("no", { status: 429, headers: { "Retry-After": "30" } });
    expect(judgeAnswer("slack", await send("slack"), false)).toMatchObject({ next: "retry", retryAfterMs: 30_000 });
  });

  test.each<ReceiverType>(["slack", "teams", "webhook"])(
    "of %s that repeats the secret address has it masked",
    async (type) => {
      const env = { NOTIFY_WEBHOOK_SECRET: `whsec_${btoa("first-key-of-thirty-two-bytes-ab")}` };
      const address = `${peer.url}/hooks/ab1x/${SECRET}?sig=s3cr%2Ft-value`;
      peer.answer = ({ path }) =>
        new Response(`${peer.url}${path} ab1x ${SECRET} s3cr/t-value s3cr%2Ft-value`, { status: 400 });
      const { next, error, attempt } = judgeAnswer(type, await send(type, { address, env }), false);
      const shown = JSON.stringify({ next, error, attempt });
      for (const secret of [SECRET, "ab1x", "s3cr"]) expect(shown).not.toContain(secret);
    },
  );

  test("that never comes is tried again: a notice may come twice, but is not lost", async () => {
    await peer.stop();
    expect(judgeAnswer("slack", await send("slack"), false)).toMatchObject({
      next: "retry",
      error: { code: "unreachable" },
    });
  });
});

describe("nothing is sent", () => {
  test("to an address that another BELLHOP_SECRET encrypted, and the failure says what to do", async () => {
    const receiver = await addressed("slack", `${peer.url}/${SECRET}`, "another-secret-of-another-deployment");
    const prepared = await prepareReceiverDelivery(deps(), receiver, MESSAGE, ROWS);
    expect(prepared).toMatchObject({ ok: false, failure: { code: "channel_not_configured" } });
    expect(JSON.stringify(prepared)).toContain("Enter the address again.");
  });

  test.each<ReceiverType>(["webhook", "slack", "teams"])(
    "by %s to a private address, unless it is allowed",
    async (type) => {
      const env = {
        NOTIFY_WEBHOOK_ALLOW_PRIVATE: "false",
        NOTIFY_WEBHOOK_SECRET: `whsec_${btoa("first-key-of-thirty-two-bytes-ab")}`,
      };
      const prepared = await prepareReceiverDelivery(
        deps(env),
        await addressed(type, `${peer.url}/${SECRET}`),
        MESSAGE,
        ROWS,
      );
      expect(prepared).toMatchObject({ ok: false, failure: { code: "address_blocked" } });
      expect(JSON.stringify(prepared)).not.toContain(SECRET);
    },
  );

  test("through a channel without settings", async () => {
    expect(await prepareReceiverDelivery(deps(), readable("email", "ada@example.com"), MESSAGE, ROWS)).toMatchObject({
      ok: false,
      failure: { code: "channel_not_configured" },
    });
  });
});
