import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { problemSchema } from "../../schema/contract/problem.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { mintWebhookKey } from "../../worker/services/keys.ts";
import { hashSecret } from "../../worker/services/secret-hash.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { armWebhook, callWebhook, webhookPath } from "../support/webhooks.ts";
import type { Webhook, WebhookCall } from "../support/webhooks.ts";

const acceptedSchema = z.looseObject({ data: triggerAnswerSchema.loose() });
const MIB = 1_024 * 1_024;
const TOO_LARGE = `{"variables":{"a":"${"x".repeat(MIB)}"}}`;

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

describe("an accepted webhook", () => {
  test("is answered with the execution only", async () => {
    const response = await callWebhook(bellhop, await armWebhook(bellhop), { body: '{"variables":{"host":"web-1"}}' });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toStartWith("application/json");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const { data, ...rest } = acceptedSchema.parse(await response.json());
    expect(rest).toEqual({ success: true });
    expect(data).toEqual({
      executionId: expect.stringMatching(/^exe_[0-9a-f-]{36}$/u),
      status: "running",
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
    });
    expect(Math.abs(Date.parse(data.startedAt) - Date.now())).toBeLessThan(60_000);
  });

  const wellFormed: [title: string, call: WebhookCall][] = [
    ["has no body", {}],
    ["has no body but a content type", { headers: { "Content-Type": "text/plain" } }],
    ["has a body of white space", { body: " \r\n\t", headers: { "Content-Type": "text/plain" } }],
    ["has an empty object", { body: "{}" }],
    ["has empty variables", { body: '{"variables":{}}' }],
    ["has nested variables", { body: '{"variables":{"config":{"timeout":30,"tags":["a",{"b":null}]}}}' }],
    ["has fields other than variables", { body: '{"alert":"disk full","variables":{"host":"web-1"}}' }],
    ["names a character set", { body: "{}", headers: { "Content-Type": "application/json; charset=utf-8" } }],
    ["has a +json content type", { body: "{}", headers: { "Content-Type": "application/cloudevents+json" } }],
    ["begins with a byte order mark", { body: new TextEncoder().encode('\ufeff{"a":1}') }],
    ["names the identity encoding", { body: "{}", headers: { "Content-Encoding": "identity" } }],
    ["has exactly 1 MiB", { body: `{"a":"${"x".repeat(MIB - 8)}"}` }],
    [
      "has variables that would grow when serialized again",
      { body: `{"variables":{"a":[${"1e20,".repeat(200_000)}1]}}` },
    ],
    ["nests 64 levels deep", { body: nested(64) }],
    ["has no declared length", { body: new Blob(['{"variables":{}}']).stream() }],
    ["has __proto__ as a value", { body: '{"variables":{"a":"__proto__"}}' }],
    ["has an idempotency key of 255 characters", { headers: { "X-Idempotency-Key": "k".repeat(255) } }],
    ["spells the scheme in lower case", { secret: null, headers: { Authorization: "bearer SECRET" } }],
  ];
  for (const [title, call] of wellFormed) {
    test(title, async () => {
      const webhook = await armWebhook(bellhop);
      const authorization = call.headers?.Authorization?.replace("SECRET", webhook.webhookSecret);
      const headers = { ...call.headers, ...(authorization === undefined ? {} : { Authorization: authorization }) };
      const response = await callWebhook(bellhop, webhook, { ...call, headers });
      expect(await response.json()).toMatchObject({ success: true, data: { status: "running" } });
      expect(response.status).toBe(200);
    });
  }
});

interface Refusal {
  title: string;
  webhook?: () => Promise<Pick<Webhook, "webhookKey" | "webhookSecret">>;
  call?: WebhookCall;
  status: number;
  code: string;
  headers?: Record<string, string>;
  errors?: FieldError[];
}

const UNAUTHORIZED = { status: 401, code: "unauthorized", headers: { "WWW-Authenticate": "Bearer" } };
const NOT_FOUND = { status: 404, code: "webhook_not_found" };
const TOO_LARGE_ANSWER = { status: 413, code: "payload_too_large" };
const UNSUPPORTED = { status: 415, code: "unsupported_media_type" };
const INVALID = { status: 400, code: "invalid_request" };
const text = { "Content-Type": "text/plain" };
const unknown = () => Promise.resolve(mintWebhookKey(bellhop.serverSecret));
const inactive = () => armWebhook(bellhop, { active: false });
/** The form and tag are right, but the hash of another secret is stored. */
const otherSecret = async () => armWebhook(bellhop, { secretHash: await hashSecret("whs_another") });
const malformedSecret = { secret: `whs_${"A".repeat(43)}` };

const REFUSALS: Refusal[] = [
  { title: "no Authorization header", call: { secret: null }, ...UNAUTHORIZED },
  { title: "another scheme", call: { secret: null, headers: { Authorization: "Basic dTpw" } }, ...UNAUTHORIZED },
  { title: "a scheme without a token", call: { secret: null, headers: { Authorization: "Bearer" } }, ...UNAUTHORIZED },
  { title: "a secret that was never made here", call: malformedSecret, ...UNAUTHORIZED },
  { title: "a token of another form", call: { secret: "hunter2" }, ...UNAUTHORIZED },
  { title: "a wrong secret", webhook: otherSecret, ...UNAUTHORIZED },
  { title: "an unknown key", webhook: unknown, ...NOT_FOUND },
  {
    title: "a key that was never made here",
    webhook: async () => ({ ...(await unknown()), webhookKey: "wh1" }),
    ...NOT_FOUND,
  },
  { title: "a revoked key", webhook: () => armWebhook(bellhop, { revoked: true }), ...NOT_FOUND },
  { title: "an inactive workflow", webhook: inactive, ...NOT_FOUND },
  { title: "an unpublished workflow", webhook: () => armWebhook(bellhop, { versionId: null }), ...NOT_FOUND },
  { title: "1 MiB and one byte", call: { body: `{"a":"${"x".repeat(MIB - 7)}"}` }, ...TOO_LARGE_ANSWER },
  { title: "several MiB", call: { body: "x".repeat(5 * MIB) }, ...TOO_LARGE_ANSWER },
  { title: "too much without a declared length", call: { body: stream(TOO_LARGE) }, ...TOO_LARGE_ANSWER },
  { title: "a body of another content type", call: { body: "{}", headers: text }, ...UNSUPPORTED },
  {
    title: "a compressed body",
    call: { body: Bun.gzipSync("{}"), headers: { "Content-Encoding": "gzip" } },
    ...UNSUPPORTED,
  },
  { title: "broken JSON", call: { body: '{"variables":' }, ...INVALID },
  { title: "two JSON texts", call: { body: "{}{}" }, ...INVALID },
  { title: "bytes that are not UTF-8", call: { body: new Uint8Array([0x22, 0xff, 0x22]) }, ...INVALID },
  { title: "a list", call: { body: "[]" }, ...INVALID, errors: [{ path: "", message: "must be an object" }] },
  { title: "null", call: { body: "null" }, ...INVALID },
  {
    title: "variables that are a list",
    call: { body: '{"variables":[]}' },
    ...INVALID,
    errors: [{ path: "variables", message: "must be an object" }],
  },
  { title: "variables that are null", call: { body: '{"variables":null}' }, ...INVALID },
  { title: "65 levels of nesting", call: { body: nested(65) }, ...INVALID },
  { title: "a hundred thousand levels", call: { body: "[".repeat(100_000) }, ...INVALID },
  {
    title: "__proto__ as a key at any depth",
    call: { body: '{"variables":{"a":[{"__proto__":{"b":1}}]}}' },
    ...INVALID,
    errors: [{ path: "variables.a.0.__proto__", message: "is not accepted as a key" }],
  },
  { title: "__proto__ in escapes", call: { body: '{"variables":{"\\u005f_pr\\u006fto__":1}}' }, ...INVALID },
  {
    title: "an idempotency key of 256 characters",
    call: { headers: { "X-Idempotency-Key": "k".repeat(256) } },
    ...INVALID,
    errors: [{ path: "X-Idempotency-Key", message: "must have at most 255 characters" }],
  },
  ...["GET", "PUT", "DELETE", "OPTIONS"].map((method) => ({
    title: `the method ${method}`,
    call: { method, secret: null },
    status: 405,
    code: "method_not_allowed",
    headers: { Allow: "POST" },
  })),
  // The precedence of several problems (docs/design/http-api.md#webhook-checks).
  { title: "no token before an unknown key", webhook: unknown, call: { secret: null }, ...UNAUTHORIZED },
  { title: "an unknown key before a wrong secret", webhook: unknown, call: malformedSecret, ...NOT_FOUND },
  { title: "a wrong secret before an inactive workflow", webhook: inactive, call: malformedSecret, ...UNAUTHORIZED },
  { title: "an unknown key before a bad body", webhook: unknown, call: { body: "[" }, ...NOT_FOUND },
  { title: "a guessed secret before a bad body", call: { ...malformedSecret, body: "[" }, ...UNAUTHORIZED },
  { title: "a wrong secret before a large body", webhook: otherSecret, call: { body: TOO_LARGE }, ...UNAUTHORIZED },
  { title: "an inactive workflow before a bad body", webhook: inactive, call: { body: "[" }, ...NOT_FOUND },
  { title: "size before content type", call: { body: TOO_LARGE, headers: text }, ...TOO_LARGE_ANSWER },
  { title: "content type before syntax", call: { body: "[", headers: text }, ...UNSUPPORTED },
  {
    title: "content type before character encoding",
    call: { body: new Uint8Array([0xff]), headers: text },
    ...UNSUPPORTED,
  },
];

describe("a refused webhook gets", () => {
  for (const { title, webhook, call, status, code, headers = {}, errors } of REFUSALS) {
    test(`${status} for ${title}`, async () => {
      const { webhookKey, webhookSecret } = await (webhook?.() ?? armWebhook(bellhop));
      const response = await callWebhook(bellhop, { webhookKey, webhookSecret }, call);
      await expectProblem(response, status, code, webhookPath(webhookKey));
      const body = problemSchema.parse(await response.json());
      if (errors !== undefined) expect(body.errors).toEqual(errors);
      for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value);
    });
  }

  test("404 for an address without a key", async () => {
    const response = await fetch(`${bellhop.url}/api/v1/automation/webhooks/`, { method: "POST" });
    await expectProblem(response, 404, "webhook_not_found", "/api/v1/automation/webhooks/");
  });
});

async function expectProblem(response: Response, status: number, code: string, instance: string): Promise<void> {
  const body: unknown = await response.clone().json();
  expect(body).toMatchObject({ code, status, type: "about:blank", instance });
  expect(response.status).toBe(status);
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const { title, detail, timestamp } = problemSchema.parse(body);
  expect(title).toBe(PHRASES[status] ?? "");
  expect(detail).not.toBe("");
  expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000);
}

const PHRASES: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
};

function nested(levels: number): string {
  return `{"variables":${'{"a":'.repeat(levels - 2)}{}${"}".repeat(levels - 2)}}`;
}

function stream(body: string): ReadableStream<Uint8Array> {
  return new Blob([body]).stream();
}
