import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { webhookNotificationSchema } from "../../schema/contract/notification.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer, PeerRequest } from "../support/http-peer.ts";
import { acceptedId, ended, getExecution } from "../support/management.ts";
import {
  ONE_TRY,
  nodeOf,
  notificationWorkflow,
  notifierObject,
  notify,
  notifyOnce,
  notifyTemplated,
  outputOf,
  startNotification,
} from "../support/notifications.ts";

/** Webhook notifications from a workflow to a real HTTP server, with the Worker in workerd. */
const KEYS = ["first-key-of-thirty-two-bytes-ab", "other-key-of-thirty-two-bytes-cd"].map((key) => btoa(key));

let bellhop: Bellhop;
let peer: HttpPeer;

beforeAll(async () => {
  bellhop = await startBellhop({
    bindings: {
      NOTIFY_WEBHOOK_SECRET: KEYS.map((key) => `whsec_${key}`).join(" "),
      NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true",
    },
  });
});
afterAll(async () => {
  await bellhop?.stop();
});
beforeEach(() => {
  peer = startHttpPeer();
});
afterEach(async () => {
  await peer.stop();
});

/**
 * The receiver's side of Standard Webhooks, by WebCrypto instead of node:crypto: HMAC-SHA256 of
 * `id.timestamp.body`, base64, one `v1,` entry for each key.
 */
async function verify({ headers, body }: PeerRequest, keyBase64: string): Promise<boolean> {
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const raw = Uint8Array.from(atob(keyBase64), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
  for (const entry of (headers.get("webhook-signature") ?? "").split(" ")) {
    const [version, signature = ""] = entry.split(",");
    if (version !== "v1") continue;
    const bytes = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0));
    if (await crypto.subtle.verify(algorithm, key, bytes, new TextEncoder().encode(signed))) return true;
  }
  return false;
}

function onlyRequest(): PeerRequest {
  const [request, ...others] = peer.requests;
  if (request === undefined || others.length > 0) throw new Error(`${peer.requests.length} requests came`);
  return request;
}

test("a signed POST reaches the receiver, and every key in use verifies it", async () => {
  const to = `${peer.url}/hooks/alerts?team=secret-team`;
  const run = await notify(bellhop, { channel: "webhook", to, subject: "Disk", message: "Ä full" });
  expect(run).toMatchObject({ status: "succeeded" });
  const request = onlyRequest();
  expect(request).toMatchObject({ method: "POST", path: "/hooks/alerts?team=secret-team" });
  expect(request.headers.get("content-type")).toBe("application/json");
  expect(await Promise.all(KEYS.map((key) => verify(request, key)))).toEqual([true, true]);
  expect(await verify(request, btoa("some-other-key-of-32-bytes-length"))).toBe(false);
  expect(await verify({ ...request, body: `${request.body} ` }, KEYS[0] ?? "")).toBe(false);
  const sentAt = Number(request.headers.get("webhook-timestamp"));
  expect(Math.abs(Date.now() / 1_000 - sentAt)).toBeLessThan(300);
  expect(webhookNotificationSchema.parse(JSON.parse(request.body))).toMatchObject({
    type: "bellhop.notification",
    data: { message: "Ä full", subject: "Disk", nodeRunId: run.id },
  });
  expect(outputOf(run)).toMatchObject({
    to: [`${peer.url}/hooks/alerts?…`],
    messageId: `msg_${run.id}`,
    statusCode: 200,
    attempts: [{ result: "accepted", statusCode: 200, detail: "ok" }],
  });
  expect(request.headers.get("webhook-id")).toBe(`msg_${run.id}`);
});

test("values of a template are sent as data", async () => {
  const definition = { channel: "webhook", to: peer.url, message: "{{webhook.text}}" };
  const workflow = await notificationWorkflow(bellhop, definition);
  const text = 'quote " and } {{webhook.text}}';
  await workflow.ring({ variables: { text } });
  const request = await eventually("the notification", () => peer.requests[0]);
  expect(webhookNotificationSchema.parse(JSON.parse(request.body)).data.message).toBe(text);
});

describe("a receiver's refusal", () => {
  test.each([
    [400, "rejected"],
    [404, "rejected"],
    [301, "rejected"],
    [401, "authentication_failed"],
    [429, "unavailable"],
    [503, "unavailable"],
  ])("with status %i fails the node with %s, and shows the response", async (status, code) => {
    peer.answer = () => new Response("because of this", { status, headers: { Location: "/elsewhere" } });
    const run = await notifyOnce(bellhop, { channel: "webhook", to: peer.url, message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code } });
    expect(outputOf(run).attempts).toMatchObject([
      { result: "refused", statusCode: status, detail: "because of this" },
    ]);
    const ids = peer.requests.map(({ headers }) => headers.get("webhook-id"));
    expect(ids.filter((id) => id === `msg_${run.id}`)).toHaveLength(1);
  });

  test("that is temporary is retried with the same id and a new signature", async () => {
    peer.answer = (_, number) => new Response("", { status: number === 1 ? 500 : 204 });
    const run = await notify(bellhop, { channel: "webhook", to: peer.url, message: "x" });
    expect(run.status).toBe("succeeded");
    expect(outputOf(run).attempts.map(({ statusCode }) => statusCode)).toEqual([500, 204]);
    expect(new Set(peer.requests.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
    expect(await Promise.all(peer.requests.map((request) => verify(request, KEYS[0] ?? "")))).toEqual([true, true]);
  });

  test("is retried by the node with the same id, so that the receiver recognizes the message", async () => {
    peer.answer = (_, number) => new Response("", { status: number === 1 ? 400 : 204 });
    const retry = { retry: { maxAttempts: 2, backoffSeconds: 0 } };
    const run = await notify(bellhop, { channel: "webhook", to: peer.url, message: "x" }, retry);
    expect(run).toMatchObject({ status: "succeeded", attempt: 2 });
    expect(peer.requests.map(({ headers }) => headers.get("webhook-id"))).toEqual([`msg_${run.id}`, `msg_${run.id}`]);
  });

  test("has a long response cut, and the service's own secret is masked in it", async () => {
    peer.answer = () => new Response(`whsec_${KEYS[0]} ${KEYS[1]} ${"ä".repeat(50_000)}`, { status: 400 });
    const run = await notify(bellhop, { channel: "webhook", to: peer.url, message: "x" });
    const [attempt] = outputOf(run).attempts;
    expect(attempt?.detail).toStartWith("whsec_*** *** ää");
    expect(Buffer.byteLength(attempt?.detail ?? "")).toBeLessThanOrEqual(2_048);
    for (const key of KEYS) expect(JSON.stringify(run)).not.toContain(key);
  });

  test("an unreachable receiver fails the node", async () => {
    const run = await notifyOnce(bellhop, { channel: "webhook", to: "http://127.0.0.1:1/", message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code: "unreachable" } });
  });

  test("a receiver that does not answer in time fails the node", async () => {
    peer.answer = () => "hang";
    const run = await notify(bellhop, { channel: "webhook", to: peer.url, message: "x" }, ONE_TRY);
    expect(run).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
    expect(outputOf(run).attempts).toMatchObject([{ result: "unknown" }]);
  });
});

describe("an invalid webhook address is refused:", () => {
  test.each([
    ["no URL", "alerts"],
    ["another scheme", "ftp://example.com/x"],
    ["http beyond this machine", "http://example.com/x"],
    ["a user and password in the URL", "https://user:secret-pass@example.com/x"],
  ])("%s", async (_, to) => {
    const run = await notifyTemplated(bellhop, { channel: "webhook", to, message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code: "invalid_params" }, output: null });
    expect(run.error?.message).not.toContain("secret-pass");
  });

  test("more than one URL", async () => {
    const run = await notifyTemplated(bellhop, { channel: "webhook", to: [peer.url, peer.url], message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code: "invalid_params" } });
  });
});

describe("a webhook notification", () => {
  test("is not tried again after its execution was cancelled during the request", async () => {
    peer.answer = () => "hang";
    const executionId = await startNotification(bellhop, { channel: "webhook", to: peer.url, message: "x" });
    await eventually("the attempt", () => peer.requests.length === 1);
    expect(nodeOf(await getExecution(bellhop, executionId))).toMatchObject({ status: "running" });
    const answer = await bellhop.api("POST", `/api/v1/automation/executions/${executionId}/cancel`);
    expect(answer.ok).toBe(true);
    expect(await ended(bellhop, executionId)).toMatchObject({ status: "cancelled" });
  });

  test("that was sent despite a cancel is shown", async () => {
    peer.answer = () => "hang";
    const executionId = await startNotification(bellhop, { channel: "webhook", to: peer.url, message: "x" });
    await eventually("the attempt", () => peer.requests.length === 1);
    await bellhop.api("POST", `/api/v1/automation/executions/${executionId}/cancel`);
    expect(nodeOf(await ended(bellhop, executionId))).toMatchObject({ status: "cancelled", output: null });
    peer.release();
    const run = await eventually("the late output", async () => {
      const late = nodeOf(await getExecution(bellhop, executionId));
      return late.output !== null && late;
    });
    expect(run.status).toBe("cancelled");
    expect(outputOf(run).attempts).toMatchObject([{ result: "accepted", statusCode: 200 }]);
  });

  test("is sent again with the same id after a crash during the request, and the record says so", async () => {
    peer.answer = (_, number) => (number === 1 ? "hang" : new Response("ok"));
    const executionId = await startNotification(bellhop, { channel: "webhook", to: peer.url, message: "x" });
    await eventually("the first attempt", () => peer.requests.length === 1);
    await bellhop.restartWorker();
    const run = nodeOf(await ended(bellhop, executionId));
    expect(run.status).toBe("succeeded");
    expect(outputOf(run).attempts).toMatchObject([{ result: "interrupted" }, { result: "accepted" }]);
    expect(peer.requests.map(({ headers }) => headers.get("webhook-id"))).toEqual([`msg_${run.id}`, `msg_${run.id}`]);
  });

  test("that ends without libSQL is recorded once libSQL is back", async () => {
    peer.answer = () => "hang";
    const workflow = await notificationWorkflow(bellhop, { channel: "webhook", to: peer.url, message: "x" });
    const executionId = await acceptedId(await workflow.ring());
    const { jobId } = await eventually("the attempt", async () => {
      const run = nodeOf(await getExecution(bellhop, executionId));
      return peer.requests.length === 1 && run;
    });
    await bellhop.stopLibsql();
    peer.release();
    const notifier = await notifierObject(bellhop, workflow.workflowId);
    await eventually("the end", async () => (await notifier.jobStates([jobId ?? ""]))[0]?.status === "finished");
    await bellhop.startLibsql();
    expect(nodeOf(await ended(bellhop, executionId))).toMatchObject({ status: "succeeded" });
    expect(peer.requests).toHaveLength(1);
  });
});
