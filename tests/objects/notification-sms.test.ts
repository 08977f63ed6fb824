import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer, PeerAnswer, PeerRequest } from "../support/http-peer.ts";
import { ended } from "../support/management.ts";
import {
  ONE_TRY,
  nodeOf,
  notify,
  notifyOnce,
  notifyTemplated,
  outputOf,
  startNotification,
} from "../support/notifications.ts";

/** Text messages from a workflow to a server that speaks Twilio's interface, with the Worker in workerd. */
const SID = "AC0123456789abcdef0123456789abcdef";
const TOKEN = "auth-token-0123456789abcdef";
const SMS = { channel: "sms", to: "+1 (500) 555-0006", message: "Disk full" };

let peer: HttpPeer;
let bellhop: Bellhop;

beforeAll(async () => {
  peer = startHttpPeer();
  bellhop = await startBellhop({
    bindings: {
      NOTIFY_SMS_API_URL: peer.url,
      NOTIFY_SMS_ACCOUNT_SID: SID,
      NOTIFY_SMS_AUTH_TOKEN: TOKEN,
      NOTIFY_SMS_FROM: "+15005550001",
    },
  });
});
afterAll(async () => {
  await bellhop?.stop();
  await peer?.stop();
});
beforeEach(() => {
  peer.requests.length = 0;
  answering(() => Response.json({ sid: "SM123", status: "queued" }, { status: 201 }));
});

/** Answers POST requests; a GET of the account is answered as Twilio does. */
function answering(answer: (number: number) => PeerAnswer): void {
  peer.answer = ({ method }) => (method === "GET" ? Response.json({ sid: SID }) : answer(posts().length));
}

function posts(): PeerRequest[] {
  return peer.requests.filter(({ method }) => method === "POST");
}

test("a message goes to the provider as a form with the account's login, and its SID is recorded", async () => {
  const run = await notify(bellhop, { ...SMS, subject: "web-1" });
  expect(run).toMatchObject({ status: "succeeded" });
  const [request, ...others] = posts();
  expect(others).toEqual([]);
  expect(request?.path).toBe(`/2010-04-01/Accounts/${SID}/Messages.json`);
  expect(request?.headers.get("authorization")).toBe(`Basic ${btoa(`${SID}:${TOKEN}`)}`);
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    To: "+15005550006",
    From: "+15005550001",
    Body: "web-1\nDisk full",
  });
  expect(outputOf(run)).toMatchObject({
    to: ["+15005550006"],
    messageId: "SM123",
    statusCode: 201,
    attempts: [{ result: "accepted" }],
  });
});

describe("a refusal by the provider", () => {
  test("shows the provider's error", async () => {
    answering(() => Response.json({ code: 21_211, message: "Invalid 'To' number", status: 400 }, { status: 400 }));
    const run = await notify(bellhop, SMS);
    expect(run).toMatchObject({ status: "failed", error: { code: "rejected" } });
    expect(run.error?.message).toContain("error 21211: Invalid 'To' number");
  });

  test("of a wrong token names the secrets to set, and does not show the token", async () => {
    answering(() => Response.json({ code: 20_003, message: `bad token ${TOKEN}` }, { status: 401 }));
    const run = await notify(bellhop, SMS);
    expect(run).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
    expect(run.error?.message).toContain("NOTIFY_SMS_AUTH_TOKEN");
    expect(JSON.stringify(run)).toContain("bad token ***");
    expect(JSON.stringify(run)).not.toContain(TOKEN);
  });

  test.each([
    ["429", () => new Response("busy", { status: 429 })],
    ["the provider's own 503", () => Response.json({ code: 20_503, message: "busy" }, { status: 503 })],
  ])("with %s is retried, because nothing was sent", async (_, busy) => {
    answering((number) => (number === 1 ? busy() : Response.json({ sid: "SM2" }, { status: 201 })));
    const run = await notify(bellhop, SMS);
    expect(run).toMatchObject({ status: "succeeded" });
    expect(outputOf(run).attempts).toMatchObject([{ result: "refused" }, { statusCode: 201 }]);
  });
});

describe("a message is not sent again if it is unknown whether it was sent:", () => {
  test("no response in time", async () => {
    answering(() => "hang");
    const run = await notify(bellhop, SMS, { ...ONE_TRY, retry: { maxAttempts: 3, backoffSeconds: 0 } });
    expect(run).toMatchObject({ status: "failed", attempt: 1, error: { code: "outcome_unknown" } });
    expect(posts()).toHaveLength(1);
  });

  test.each([
    ["an internal error of the provider", 500],
    ["a gateway's broken connection", 502],
    ["a 503 that is not the provider's own", 503],
    ["a gateway's timeout", 504],
  ])("%s", async (_, status) => {
    answering(() => new Response("", { status }));
    const run = await notify(bellhop, SMS);
    expect(run).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect(posts()).toHaveLength(1);
  });

  test("a crash of the service during the request", async () => {
    answering(() => "hang");
    const executionId = await startNotification(bellhop, SMS);
    await eventually("the attempt", () => posts().length === 1);
    await bellhop.restartWorker();
    const run = nodeOf(await ended(bellhop, executionId));
    expect(run).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect(outputOf(run).attempts).toMatchObject([{ result: "interrupted" }]);
    expect(posts()).toHaveLength(1);
  });
});

test("a provider that cannot be reached was sent nothing, so the message is tried again", async () => {
  const away = await startBellhop({
    bindings: {
      NOTIFY_SMS_API_URL: "http://127.0.0.1:1",
      NOTIFY_SMS_ACCOUNT_SID: SID,
      NOTIFY_SMS_AUTH_TOKEN: TOKEN,
      NOTIFY_SMS_FROM: "Bellhop",
    },
  });
  const run = await notifyOnce(away, SMS);
  expect(run).toMatchObject({ status: "failed", error: { code: "unreachable" } });
  expect(outputOf(run).attempts).toMatchObject([{ result: "unreachable" }]);
  await away.stop();
});

test.each([
  ["no number", { to: "ada@example.com" }],
  ["a number without its country", { to: "0500 555 0006" }],
  ["several numbers", { to: ["+15005550006", "+15005550007"] }],
  ["an empty message", { message: "" }],
  ["a message that is too long", { message: "x".repeat(1_601) }],
])("%s is refused before anything is sent", async (_, changes) => {
  const run = await notifyTemplated(bellhop, { ...SMS, ...changes });
  expect(run).toMatchObject({ status: "failed", error: { code: "invalid_params" }, output: null });
  expect(peer.requests).toEqual([]);
});
