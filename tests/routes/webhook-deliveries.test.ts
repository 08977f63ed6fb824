import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { webhookDeliverySchema } from "../../schema/contract/webhook-delivery.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  call,
  createWorkflow,
  dataOf,
  errorPathsOf,
  makeWebhookKey,
  pageOf,
  problemOf,
  verb,
} from "../support/management-api.ts";
import { callWebhook, triggered } from "../support/webhooks.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

async function live(body: object = {}) {
  const { id } = await createWorkflow(bellhop);
  const key = await makeWebhookKey(bellhop, id, body);
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  return { id, key };
}

const read = async (id: string) =>
  pageOf(await call(bellhop, "GET", `/workflows/${id}/webhook/deliveries`), webhookDeliverySchema.strict());
const setRate = (id: string, requestsPerMinute: unknown) =>
  call(bellhop, "PUT", `/workflows/${id}/webhook`, { requestsPerMinute });

describe("the last deliveries of a webhook", () => {
  test("show results, sizes and content types, and nothing of secrets and values", async () => {
    const { id, key } = await live();
    const body = '{"variables":{"host":"a-value"},"alert":"another-value"}';
    const { executionId } = await triggered(callWebhook(bellhop, key, { body }));
    await triggered(callWebhook(bellhop, key, { body }));
    await callWebhook(bellhop, key, { body: "{" });
    await callWebhook(bellhop, key, { body: "a-value", headers: { "Content-Type": "text/plain" } });
    for (const secret of [null, "wrong", `whs_${"A".repeat(43)}`]) await callWebhook(bellhop, key, { body, secret });
    await verb(bellhop, id, "deactivate");
    await callWebhook(bellhop, key, { body });
    const { items, nextCursor } = await read(id);
    expect(nextCursor).toBeNull();
    const bytes = body.length;
    expect(items.map(({ at: _at, ...item }) => item)).toMatchObject([
      { result: "refused", reason: "inactive", executionId: null, count: 1, bytes },
      { result: "refused", reason: "unauthorized", executionId: null, count: 3, bytes: null },
      { result: "refused", reason: "unsupported_media_type", contentType: "text/plain", bytes: 7 },
      { result: "refused", reason: "invalid_request", detail: expect.stringContaining("not valid JSON"), bytes: 1 },
      { result: "repeated", executionId, ignoredFields: ["alert"] },
      { result: "started", reason: null, detail: null, executionId, bytes, contentType: "application/json" },
    ]);
    const text = JSON.stringify(items);
    for (const secret of ["a-value", "another-value", key.webhookSecret, key.webhookKey])
      expect(text).not.toContain(secret);
  });

  test("of a webhook with its secret in the address do not have it", async () => {
    const { id, key } = await live({ verification: { type: "address" } });
    const post = (url: string) =>
      fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
    for (const url of [key.url, `${key.url}x`]) await (await post(url)).arrayBuffer();
    const { items } = await read(id);
    expect(items).toHaveLength(2);
    expect(JSON.stringify(items)).not.toContain(key.webhookSecret);
  });

  test("that start nothing are counted in /metrics", async () => {
    const { key } = await live();
    for (const body of ["{}", "{}", "{}", "{"]) await callWebhook(bellhop, key, { body });
    // The gate's alarm counts them, and a scrape is cached for some seconds.
    const metrics = await eventually("a scrape with the repeated deliveries", async () => {
      const text = await (await bellhop.api("GET", "/metrics")).text();
      return /^bellhop_webhook_repeated_total [2-9]$/mu.test(text) && text;
    });
    expect(metrics).toMatch(/^bellhop_webhook_refused_total\{reason="invalid_request"\} [1-9]$/mu);
    expect(metrics).toContain('bellhop_webhook_refused_total{reason="request_timeout"} 0');
  }, 60_000);

  test("are none without a key and after a new one, and 404 for an unknown workflow", async () => {
    const { id } = await createWorkflow(bellhop);
    expect((await read(id)).items).toEqual([]);
    const { id: other, key } = await live();
    await callWebhook(bellhop, key, {});
    await makeWebhookKey(bellhop, other);
    expect((await read(other)).items).toEqual([]);
    await problemOf(await call(bellhop, "GET", "/workflows/wf_none/webhook/deliveries"), 404, "not_found");
  });
});

describe("the rate of a webhook", () => {
  test("takes effect with the next request, and stays with a new key", async () => {
    const { id, key } = await live();
    const changed = await dataOf(await setRate(id, 2), 200, workflowSchema);
    expect(changed.webhook?.requestsPerMinute).toBe(2);
    const statuses = async (webhook: typeof key) => {
      const found: number[] = [];
      for (let i = 0; i < 3; i += 1) found.push((await callWebhook(bellhop, webhook, { body: `{"n":${i}}` })).status);
      return found;
    };
    expect(await statuses(key)).toEqual([200, 200, 429]);
    await setRate(id, 4);
    expect((await callWebhook(bellhop, key, { body: '{"n":9}' })).status).toBe(200);
    await setRate(id, 2);
    expect(await statuses(await makeWebhookKey(bellhop, id))).toEqual([200, 200, 429]);
  });

  test.each([0, -1, 601, 1.5, "60", null, undefined])("cannot be %p", async (rate) => {
    const { id } = await live();
    expect(await errorPathsOf(await setRate(id, rate))).toEqual(["requestsPerMinute"]);
  });

  test("needs a key", async () => {
    const { id } = await createWorkflow(bellhop);
    await problemOf(await setRate(id, 60), 409, "conflict");
  });
});
