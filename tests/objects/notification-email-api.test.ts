import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { notify, outputOf } from "../support/notifications.ts";

/** Email through a provider's HTTP API. */
const KEY = "re_0123456789abcdef";
const MAIL = {
  channel: "email",
  to: ["ada@example.com", '"Grace, H" <grace@bücher.example>'],
  subject: "Hi",
  message: "x",
};

let peer: HttpPeer;
let bellhop: Bellhop;

beforeAll(async () => {
  peer = startHttpPeer();
  bellhop = await startBellhop({
    bindings: {
      NOTIFY_EMAIL_FROM: "Bellhop <alerts@example.com>",
      NOTIFY_EMAIL_API_URL: `${peer.url}/emails`,
      NOTIFY_EMAIL_API_KEY: KEY,
    },
  });
});
afterAll(async () => {
  await bellhop?.stop();
  await peer?.stop();
});
beforeEach(() => {
  peer.requests.length = 0;
});

test("the provider gets sender, recipients, subject and text as JSON, with the key and the node run's id", async () => {
  peer.answer = () => Response.json({ id: "em_1" });
  const run = await notify(bellhop, MAIL);
  expect(run).toMatchObject({ status: "succeeded" });
  const [request] = peer.requests;
  expect(request).toMatchObject({ method: "POST", path: "/emails" });
  expect(request?.headers.get("authorization")).toBe(`Bearer ${KEY}`);
  expect(request?.headers.get("idempotency-key")).toBe(run.id);
  expect(JSON.parse(request?.body ?? "")).toEqual({
    from: '"Bellhop" <alerts@example.com>',
    to: ["ada@example.com", '"Grace, H" <grace@xn--bcher-kva.example>'],
    subject: "Hi",
    text: "x",
  });
  expect(outputOf(run)).toMatchObject({ messageId: "em_1", statusCode: 200, attempts: [{ result: "accepted" }] });
});

test("a refusal says why, without the key; a temporary one is retried with the same idempotency key", async () => {
  peer.answer = () => new Response(`key ${KEY} is not for this sender`, { status: 403 });
  const refused = await notify(bellhop, MAIL);
  expect(refused).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
  expect(refused.error?.message).toContain("set NOTIFY_EMAIL_API_KEY again");
  expect(JSON.stringify(refused)).not.toContain(KEY);
  peer.requests.length = 0;
  peer.answer = (_, number) => (number === 1 ? new Response("", { status: 502 }) : Response.json({ id: "em_2" }));
  expect(await notify(bellhop, MAIL)).toMatchObject({ status: "succeeded" });
  expect(new Set(peer.requests.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1);
});
