import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hashSecret } from "../../worker/services/secret-hash.ts";
import { CLIENT_IP_HEADER, startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { armWebhook, callWebhook, configureGate, gateFile, triggered } from "../support/webhooks.ts";
import type { Webhook, WebhookCall } from "../support/webhooks.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

function send(webhook: Webhook, call: WebhookCall = {}) {
  return triggered(callWebhook(bellhop, webhook, call));
}

async function statusOf(webhook: Webhook, call: WebhookCall = {}): Promise<number> {
  const response = await callWebhook(bellhop, webhook, call);
  await response.arrayBuffer();
  return response.status;
}

describe("a repeated webhook", () => {
  test("gets the first execution, and says so", async () => {
    const webhook = await armWebhook(bellhop);
    const first = await send(webhook, { body: '{"variables":{"a":1,"b":2}}' });
    expect(first).not.toHaveProperty("deduplicated");
    expect(await send(webhook, { body: '{ "variables" : {"b":2, "a":1} }' })).toEqual({ ...first, deduplicated: true });
  });

  test("is recognized without a body, with a blank one and with an empty object", async () => {
    const webhook = await armWebhook(bellhop);
    const first = await send(webhook);
    for (const body of ["", "  \n", "{}", "{ }"]) {
      expect(await send(webhook, { body })).toEqual({ ...first, deduplicated: true });
    }
  });

  test("is a new one when anything in the body differs", async () => {
    const webhook = await armWebhook(bellhop);
    const bodies = ["{}", '{"variables":{}}', '{"variables":{"a":1}}', '{"variables":{"a":1.0}}', '{"id":7}'];
    const answers = [];
    for (const body of bodies) answers.push(await send(webhook, { body }));
    expect(new Set(answers.map((answer) => answer.executionId)).size).toBe(bodies.length);
  });

  test("is recognized by its idempotency key, even if the payload differs", async () => {
    const webhook = await armWebhook(bellhop);
    const headers = { "X-Idempotency-Key": "deploy-42" };
    const first = await send(webhook, { body: '{"variables":{"a":1}}', headers });
    expect(await send(webhook, { body: '{"variables":{"a":2}}', headers })).toEqual({ ...first, deduplicated: true });
  });

  test("is recognized by Idempotency-Key, too; X-Idempotency-Key takes precedence", async () => {
    const webhook = await armWebhook(bellhop);
    const first = await send(webhook, { body: '{"id":1}', headers: { "Idempotency-Key": "k" } });
    const again = { ...first, deduplicated: true as const };
    expect(await send(webhook, { body: '{"id":2}', headers: { "Idempotency-Key": "k" } })).toEqual(again);
    const both = { "X-Idempotency-Key": "k", "Idempotency-Key": "other" };
    expect(await send(webhook, { body: '{"id":3}', headers: both })).toEqual(again);
  });

  test("is a new one under another idempotency key, even if the payload is the same", async () => {
    const webhook = await armWebhook(bellhop);
    const one = await send(webhook, { headers: { "X-Idempotency-Key": "one" } });
    const other = await send(webhook, { headers: { "X-Idempotency-Key": "other" } });
    const none = await send(webhook, { headers: { "X-Idempotency-Key": "" } });
    expect(new Set([one, other, none].map((answer) => answer.executionId)).size).toBe(3);
    expect(await send(webhook)).toEqual({ ...none, deduplicated: true });
  });

  test("is a new one when its idempotency key spells the hash of a payload", async () => {
    const webhook = await armWebhook(bellhop);
    const first = await send(webhook, { body: '{"n":1}' });
    const digest = new Bun.CryptoHasher("sha256").update('{"n":1}').digest("base64url");
    const other = await send(webhook, { headers: { "X-Idempotency-Key": digest } });
    expect(other.executionId).not.toBe(first.executionId);
  });

  test("is a new one at another webhook key", async () => {
    const one = await send(await armWebhook(bellhop));
    const other = await send(await armWebhook(bellhop));
    expect(other.executionId).not.toBe(one.executionId);
  });

  const storms: Record<string, string>[] = [{}, { "X-Idempotency-Key": "storm" }];
  for (const headers of storms) {
    test(`fifty times at the same moment starts one execution (${JSON.stringify(headers)})`, async () => {
      const webhook = await armWebhook(bellhop);
      const calls = Array.from({ length: 50 }, () => send(webhook, { body: '{"variables":{"a":1}}', headers }));
      const answers = await Promise.all(calls);
      expect(new Set(answers.map((answer) => answer.executionId)).size).toBe(1);
      expect(answers.filter((answer) => answer.deduplicated === undefined)).toHaveLength(1);
    });
  }

  test("is a new one when its first body was refused", async () => {
    const webhook = await armWebhook(bellhop);
    const headers = { "X-Idempotency-Key": "retry" };
    const tooLarge = `{"a":"${"x".repeat(1_024 * 1_024)}"}`;
    for (const body of ["[", "[]", '{"variables":1}', '{"__proto__":{}}', '{"a":'.repeat(65), tooLarge]) {
      expect(await statusOf(webhook, { body, headers })).toBeOneOf([400, 413]);
    }
    expect(await statusOf(webhook, { body: "{}", headers: { ...headers, "Content-Type": "text/xml" } })).toBe(415);
    expect(await send(webhook, { body: "{}", headers })).not.toHaveProperty("deduplicated");
  });

  test("is recognized after a restart of the Worker, and so is the limit", async () => {
    const webhook = await armWebhook(bellhop);
    const first = await send(webhook);
    for (let i = 0; i < 59; i += 1) await send(webhook);
    await bellhop.restartWorker();
    expect(await statusOf(webhook)).toBe(429);
    const calm = await armWebhook(bellhop);
    const before = await send(calm);
    await bellhop.restartWorker();
    expect(await send(calm)).toEqual({ ...before, deduplicated: true });
    expect(first.executionId).not.toBe(before.executionId);
  });
});

describe("a webhook key's limit", () => {
  test("allows 60 requests a minute, counts duplicates and invalid bodies, and gives the seconds to wait", async () => {
    const webhook = await armWebhook(bellhop);
    for (let i = 0; i < 20; i += 1) {
      await send(webhook, { body: `{"n":${i}}` });
      await send(webhook, { body: `{"n":${i}}` });
      expect(await statusOf(webhook, { body: "[" })).toBe(400);
    }
    const response = await callWebhook(bellhop, webhook);
    expect(response.status).toBe(429);
    expect(response.headers.get("Retry-After")).toMatch(/^([1-9]|[1-5]\d|60)$/u);
    expect(await response.json()).toMatchObject({
      title: "Too Many Requests",
      status: 429,
      code: "rate_limit_exceeded",
    });
    // The limit is checked before the body, and is per key.
    expect(await statusOf(webhook, { body: "[" })).toBe(429);
    expect(await statusOf(await armWebhook(bellhop))).toBe(200);
  });

  test("admits exactly 60 of 100 concurrent requests", async () => {
    const webhook = await armWebhook(bellhop);
    const calls = Array.from({ length: 100 }, (_, i) => statusOf(webhook, { body: `{"n":${i}}` }));
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });
});

describe("wrong secrets", () => {
  const neverMade = `whs_${"A".repeat(43)}`;
  const from = (address: string) => ({ [CLIENT_IP_HEADER]: address });

  test("are limited per key and address, apart from the right secret's limit", async () => {
    const webhook = await armWebhook(bellhop);
    const wrong = { secret: neverMade, headers: from("192.0.2.1") };
    for (let i = 0; i < 60; i += 1) expect(await statusOf(webhook, wrong)).toBe(401);
    const response = await callWebhook(bellhop, webhook, wrong);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: "rate_limit_exceeded" });
    expect(await statusOf(webhook, { ...wrong, headers: from("192.0.2.2") })).toBe(401);
    expect(await statusOf(await armWebhook(bellhop), wrong)).toBe(401);
    for (let i = 0; i < 60; i += 1) expect(await statusOf(webhook, { headers: from("192.0.2.1") })).toBe(200);
  });

  test("of the right form are limited in the same way", async () => {
    const webhook = await armWebhook(bellhop, { secretHash: await hashSecret("whs_another") });
    const statuses = [];
    for (let i = 0; i < 61; i += 1) statuses.push(await statusOf(webhook, { headers: from("192.0.2.3") }));
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429]);
  });
});

describe("settings that change", () => {
  test("apply with the next request, although the secret was verified before", async () => {
    const webhook = await armWebhook(bellhop);
    const first = await send(webhook);
    await configureGate(bellhop, webhook, { active: false });
    expect(await statusOf(webhook)).toBe(404);
    await configureGate(bellhop, webhook, { active: true });
    expect((await send(webhook)).executionId).toBe(first.executionId);
    await configureGate(bellhop, webhook, { versionId: null });
    expect(await statusOf(webhook)).toBe(404);
    await configureGate(bellhop, webhook, { versionId: "wfv_2", secretHash: await hashSecret("whs_another") });
    expect(await statusOf(webhook)).toBe(401);
    await configureGate(bellhop, webhook, { revoked: true });
    expect(await statusOf(webhook)).toBe(404);
  });
});

describe("a webhook that fails because of the service", () => {
  test("gets a 500 without details, and is accepted once the fault is fixed", async () => {
    const webhook = await armWebhook(bellhop);
    const { executionId } = await send(webhook);
    const file = gateFile(bellhop, executionId);
    await bellhop.restartWorker(() =>
      alter(file, [
        "ALTER TABLE events RENAME TO mislaid_events",
        "CREATE VIEW events AS SELECT * FROM mislaid_events",
      ]),
    );
    const response = await callWebhook(bellhop, webhook, { body: '{"n":1}' });
    expect(response.status).toBe(500);
    const problem = await response.json();
    expect(problem).toMatchObject({
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      code: "internal_error",
      instance: `/api/v1/automation/webhooks/${webhook.webhookKey}`,
      timestamp: expect.any(String),
    });
    expect(JSON.stringify(problem)).not.toMatch(/events|sqlite|view/iu);
    await bellhop.restartWorker(() => alter(file, ["DROP VIEW events", "ALTER TABLE mislaid_events RENAME TO events"]));
    expect(await send(webhook, { body: '{"n":1}' })).not.toHaveProperty("deduplicated");
  });

  function alter(file: string, statements: string[]): void {
    const database = new Database(file);
    database.transaction(() => statements.forEach((statement) => database.run(statement))).immediate();
    database.close();
  }
});
