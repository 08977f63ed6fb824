import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema } from "../../schema/contract/management.ts";
import type { HmacVerification, WebhookVerification } from "../../schema/contract/webhook-verification.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { call, createWorkflow, dataOf, problemOf } from "../support/management-api.ts";
import { liveWebhook, madeKey, newBody, statusOf } from "../support/verified-webhooks.ts";
import { signedHeaders } from "../support/webhook-signers.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const FOREIGN = "a-signing-secret-of-the-sender";
const GITHUB: HmacVerification = { type: "hmac", scheme: "github" };
const live = (verification?: WebhookVerification, secret?: string) => liveWebhook(bellhop, verification, secret);
const made = (id: string, path: string, body: object) => madeKey(bellhop, id, path, body);

describe("a replaced secret", () => {
  test("is right at once, also after too many signatures with it while the service had another", async () => {
    const { id, url } = await live(GITHUB, FOREIGN);
    const next = `${FOREIGN}-of-the-sender`;
    const send = (body = newBody()) => statusOf(url, body, signedHeaders(GITHUB, next, body));
    for (let i = 0; i < 61; i += 1) await send();
    expect(await send()).toBe(429);
    await made(id, "webhook-secret", { secret: next });
    expect(
      await eventually("a call with the replaced secret to be taken", async () => (await send()) === 200, 20_000),
    ).toBe(true);
  });

  test("leaves the old one valid for its time, in every verification", async () => {
    for (const verification of [undefined, { type: "address" } as const]) {
      const { id, url, webhookSecret } = await live(verification);
      const bearer = (secret: string | null): Record<string, string> =>
        verification === undefined ? { Authorization: `Bearer ${secret}` } : {};
      const next = await made(id, "webhook-secret", { keepOldSeconds: 3_600 });
      expect(Date.parse(next.oldSecretUntil ?? "")).toBeGreaterThan(Date.now() + 3_500_000);
      const shown = await dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
      expect(shown.webhook).toEqual({
        verification: verification ?? { type: "bearer" },
        oldSecretUntil: next.oldSecretUntil,
        requestsPerMinute: 60,
      });
      for (const [address, secret] of [
        [url, webhookSecret],
        [next.url, next.webhookSecret],
      ] as const) {
        expect(await statusOf(address, newBody(), bearer(secret))).toBe(200);
      }
      const last = await made(id, "webhook-secret", { keepOldSeconds: 0 });
      expect(last.oldSecretUntil).toBeNull();
      expect(await statusOf(url, newBody(), bearer(webhookSecret))).toBe(401);
      expect(await statusOf(next.url, newBody(), bearer(next.webhookSecret))).toBe(401);
      expect(await statusOf(last.url, newBody(), bearer(last.webhookSecret))).toBe(200);
    }
  });

  test("can be replaced again while an older one is in use: a lost answer ends nothing", async () => {
    const { id, url, webhookSecret: first } = await live();
    const by = (secret: string | null) => statusOf(url, newBody(), { Authorization: `Bearer ${secret}` });
    const lost = await made(id, "webhook-secret", { keepOldSeconds: 7_200 });
    const third = await made(id, "webhook-secret", { keepOldSeconds: 60 });
    expect(third.oldSecretUntil).toBe(lost.oldSecretUntil);
    expect([await by(first), await by(lost.webhookSecret), await by(third.webhookSecret)]).toEqual([200, 200, 200]);
    const { detail } = await problemOf(await call(bellhop, "POST", `/workflows/${id}/webhook-secret`), 409, "conflict");
    expect(detail).toMatch(/^2 old secrets are still valid, one of them until 20.*keepOldSeconds: 0/u);
    expect(await by(third.webhookSecret)).toBe(200);
    const last = await made(id, "webhook-secret", { keepOldSeconds: 0 });
    for (const secret of [first, lost.webhookSecret, third.webhookSecret]) expect(await by(secret)).toBe(401);
    expect(await by(last.webhookSecret)).toBe(200);
  });

  test("that an earlier version has replaced is valid for its time", async () => {
    const { id, url, webhookSecret: first } = await live();
    const next = await made(id, "webhook-secret", { keepOldSeconds: 3_600 });
    const one = "json_extract(webhook_old_secret, '$[0]')";
    await query(bellhop, `update workflows set webhook_old_secret = ${one}, gate_epoch = gate_epoch + 1 where id = ?`, [
      id,
    ]);
    await bellhop.worker.tick();
    for (const secret of [first, next.webhookSecret])
      expect(await statusOf(url, newBody(), { Authorization: `Bearer ${secret}` })).toBe(200);
    const shown = await dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
    expect(shown.webhook?.oldSecretUntil).toBe(next.oldSecretUntil);
  });

  test("of a signature leaves the old one valid for its time", async () => {
    const verification = GITHUB;
    const { id, url } = await live(verification, FOREIGN);
    const by = async (secret: string) => {
      const body = newBody();
      return statusOf(url, body, signedHeaders(verification, secret, body));
    };
    expect(await by(FOREIGN)).toBe(200);
    await made(id, "webhook-secret", { secret: "another-signing-secret", keepOldSeconds: 60 });
    expect([await by(FOREIGN), await by("another-signing-secret")]).toEqual([200, 200]);
    await made(id, "webhook-secret", { secret: "the-third-signing-secret", keepOldSeconds: 0 });
    expect([await by("another-signing-secret"), await by("the-third-signing-secret")]).toEqual([401, 200]);
  });

  test("keeps the verification when the key is replaced without one", async () => {
    const { id, url } = await live(GITHUB, FOREIGN);
    const next = await made(id, "webhook-key", {});
    const body = newBody();
    const verification = GITHUB;
    expect(await statusOf(url, body, signedHeaders(verification, FOREIGN, body))).toBe(401);
    expect(await statusOf(next.url, body, signedHeaders(verification, next.webhookSecret ?? "", body))).toBe(200);
  });

  test("needs a key", async () => {
    const { id } = await createWorkflow(bellhop);
    await problemOf(await call(bellhop, "POST", `/workflows/${id}/webhook-secret`, {}), 409, "conflict");
  });
});
