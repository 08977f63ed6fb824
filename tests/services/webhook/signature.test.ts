import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { verifySignature } from "../../../worker/services/webhook/signature.ts";
import { sealSigningSecret } from "../../../worker/services/webhook-signing-key.ts";
import { WEBHOOK_SIGNATURE_MAX_AGE_MS } from "../../../schema/limits.ts";
import { TEST_SERVER_SECRET } from "../../support/test-deps.ts";

test("a signature whose time passes while its body arrives is not of now", async () => {
  const [webhookKey, secret, body, seconds] = ["wh1", "slack-signing-secret", "{}", 1_800_000_000];
  const verifiers = [await sealSigningSecret(TEST_SERVER_SECRET, webhookKey, secret)];
  const signature = createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex");
  const headers = new Map([
    ["X-Slack-Request-Timestamp", String(seconds)],
    ["X-Slack-Signature", `v0=${signature}`],
  ]);
  const arrives = (tookMs: number) => {
    let now = seconds * 1_000 + WEBHOOK_SIGNATURE_MAX_AGE_MS - 1_000;
    const request = {
      webhookKey,
      header: (name: string) => headers.get(name) ?? null,
      readBytes: () => {
        now += tookMs;
        return Promise.resolve(Buffer.from(body));
      },
    };
    const verification = { type: "hmac", scheme: "slack" } as const;
    return verifySignature(TEST_SERVER_SECRET, { verification, verifiers }, request, () => now);
  };
  expect(await arrives(10)).not.toBe(false);
  expect(await arrives(1_000)).toBe(false);
});
