import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { webhookKeyAnswerSchema } from "../../schema/contract/webhook-verification.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, createWebhookWorkflow } from "../support/management.ts";
import type { Webhook } from "../support/management.ts";
import { callWebhook, triggered } from "../support/webhooks.ts";

const DEFINITION = {
  nodes: [
    {
      id: "only",
      type: "condition",
      when: { logic: "all", conditions: [{ field: "webhook.host", operator: "exists" }] },
    },
  ],
  edges: [],
};

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

/** A webhook whose secret was verified: a change must not leave that verification in memory. */
async function usedWebhook(): Promise<Webhook> {
  const webhook = await createWebhookWorkflow(bellhop, DEFINITION);
  await triggered(callWebhook(bellhop, webhook));
  return webhook;
}

async function statusOf(webhook: Pick<Webhook, "webhookKey" | "webhookSecret">): Promise<number> {
  const response = await callWebhook(bellhop, webhook);
  await response.arrayBuffer();
  return response.status;
}

function change(webhook: Webhook, verb: string): Promise<unknown> {
  return call(bellhop, "POST", `/workflows/${webhook.workflowId}/${verb}`, undefined, z.unknown());
}

describe("a revocation applies to the webhook's next request (invariant 8)", () => {
  for (const [takes, gives] of [
    ["deactivate", "activate"],
    ["unpublish", "publish"],
  ] as const) {
    test(`${takes} makes it a 404, and ${gives} restores it with the same rate limit window`, async () => {
      const webhook = await usedWebhook();
      const first = await triggered(callWebhook(bellhop, webhook));
      await change(webhook, takes);
      expect(await statusOf(webhook)).toBe(404);
      await change(webhook, gives);
      expect((await triggered(callWebhook(bellhop, webhook))).executionId).toBe(first.executionId);
    });
  }

  test("a regenerated key replaces key and secret", async () => {
    const webhook = await usedWebhook();
    const path = `/workflows/${webhook.workflowId}/webhook-key`;
    const next = await call(
      bellhop,
      "POST",
      path,
      undefined,
      webhookKeyAnswerSchema.extend({ webhookSecret: z.string() }),
    );
    expect(await statusOf(webhook)).toBe(404);
    expect(await statusOf({ ...webhook, webhookKey: next.webhookKey })).toBe(401);
    expect(await statusOf({ ...next, webhookSecret: next.webhookSecret })).toBe(200);
    expect((await fetch(next.url, { method: "POST" })).status).toBe(401);
  });

  test("a deleted workflow has no webhook", async () => {
    const webhook = await usedWebhook();
    await call(bellhop, "DELETE", `/workflows/${webhook.workflowId}`, undefined, z.unknown());
    expect(await statusOf(webhook)).toBe(404);
  });

  test("fifty requests that race with a deactivation are accepted before it and refused after it", async () => {
    const webhook = await createWebhookWorkflow(bellhop, DEFINITION);
    const deactivated = change(webhook, "deactivate");
    const racing = await Promise.all(Array.from({ length: 50 }, () => statusOf(webhook)));
    await deactivated;
    expect(new Set([...racing, 200, 404])).toEqual(new Set([200, 404]));
    expect(await statusOf(webhook)).toBe(404);
  });
});
