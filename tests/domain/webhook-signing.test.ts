import { describe, expect, test } from "bun:test";
import type { HmacVerification } from "../../schema/contract/webhook-verification.ts";
import {
  WEBHOOK_IDEMPOTENCY_WINDOW_MS,
  WEBHOOK_SIGNATURE_MAX_AGE_MS,
  WEBHOOK_SIGNATURE_MAX_AHEAD_MS,
} from "../../schema/limits.ts";
import { isOfNow, signingOf } from "../../worker/domain/webhook-signing.ts";

const HEX = "a".repeat(64);
const BASE64 = `${"A".repeat(43)}=`;
const github: HmacVerification = { type: "hmac", scheme: "github" };
const slack: HmacVerification = { type: "hmac", scheme: "slack" };
const stripe: HmacVerification = { type: "hmac", scheme: "stripe" };
const standard: HmacVerification = { type: "hmac", scheme: "standard-webhooks" };
const generic: HmacVerification = { type: "hmac", scheme: "generic", header: "X-Sign", encoding: "hex", prefix: "v=" };

function read(verification: HmacVerification, headers: Record<string, string>) {
  const sent = new Headers(headers);
  return signingOf(verification, (name) => sent.get(name));
}

describe("the signature of a request", () => {
  test.each<[HmacVerification, Record<string, string>, before: string, seconds: number | null]>([
    [github, { "X-Hub-Signature-256": `sha256=${HEX}` }, "", null],
    [
      slack,
      { "X-Slack-Signature": `v0=${HEX}`, "X-Slack-Request-Timestamp": "1531420618" },
      "v0:1531420618:",
      1531420618,
    ],
    [stripe, { "Stripe-Signature": `t=1614265330,v1=${HEX},v0=x` }, "1614265330.", 1614265330],
    [
      standard,
      { "webhook-id": "msg_1", "webhook-timestamp": "1614265330", "webhook-signature": `v1,${BASE64}` },
      "msg_1.1614265330.",
      1614265330,
    ],
    [generic, { "x-sign": `v=${HEX}` }, "", null],
    [{ ...generic, encoding: "base64" }, { "x-sign": `v=${BASE64}` }, "", null],
    [{ ...generic, prefix: "v1," }, { "x-sign": `v0,${HEX} v1,${HEX}` }, "", null],
  ])("of %j is read from %j", (verification, headers, before, seconds) => {
    expect(read(verification, headers)).toMatchObject({ before, seconds, signatures: [{}] });
  });

  test.each<[HmacVerification, Record<string, string>]>([
    [github, {}],
    [github, { "X-Hub-Signature-256": HEX }],
    [github, { "X-Hub-Signature-256": `sha256=${HEX}0` }],
    [github, { "X-Hub-Signature-256": `sha256=${"g".repeat(64)}` }],
    [github, { "X-Hub-Signature": `sha1=${"a".repeat(40)}` }],
    [slack, { "X-Slack-Signature": `v0=${HEX}` }],
    [slack, { "X-Slack-Signature": `v0=${HEX}`, "X-Slack-Request-Timestamp": "soon" }],
    [slack, { "X-Slack-Signature": `v0=${HEX}`, "X-Slack-Request-Timestamp": "-1" }],
    [stripe, { "Stripe-Signature": `v1=${HEX}` }],
    [stripe, { "Stripe-Signature": `t=1614265330,v0=${HEX}` }],
    [standard, { "webhook-timestamp": "1614265330", "webhook-signature": `v1,${BASE64}` }],
    [standard, { "webhook-id": "msg_1", "webhook-signature": `v1,${BASE64}` }],
    [standard, { "webhook-id": "msg_1", "webhook-timestamp": "1614265330", "webhook-signature": BASE64 }],
    [generic, { "X-Sign": HEX }],
    [generic, { "X-Sign": `v=${BASE64}` }],
  ])("of %j is missing in %j", (verification, headers) => {
    expect(read(verification, headers)).toBeNull();
  });

  test("may be one of several, of which five are looked at", () => {
    const many = Array.from({ length: 9 }, () => `v1=${HEX}`).join(",");
    expect(read(stripe, { "Stripe-Signature": `t=1,v1=${HEX},v1=${"b".repeat(64)}` })?.signatures).toHaveLength(2);
    expect(read(generic, { "X-Sign": `v=${HEX}, v=${"b".repeat(64)}` })?.signatures).toHaveLength(2);
    expect(read(stripe, { "Stripe-Signature": `t=1,${many}` })?.signatures.length).toBeLessThanOrEqual(5);
  });

  test("has the id of the delivery only where it is signed", () => {
    const ids = { "X-GitHub-Delivery": "d1", "webhook-id": "msg_1", "X-Idempotency-Key": "k" };
    expect(read(github, { ...ids, "X-Hub-Signature-256": `sha256=${HEX}` })?.deliveryId).toBeNull();
    const signed = { ...ids, "webhook-timestamp": "1", "webhook-signature": `v1,${BASE64}` };
    expect(read(standard, signed)?.deliveryId).toBe("msg_1");
  });
});

describe("the time of a signature", () => {
  const seconds = 1_800_000_000;
  const at = seconds * 1_000;
  test.each([
    [-WEBHOOK_SIGNATURE_MAX_AHEAD_MS - 1, false],
    [-WEBHOOK_SIGNATURE_MAX_AHEAD_MS, true],
    [0, true],
    [WEBHOOK_SIGNATURE_MAX_AGE_MS - 1, true],
    [WEBHOOK_SIGNATURE_MAX_AGE_MS, false],
  ])("is %d ms before now: %p", (ageMs, isNow) => expect(isOfNow({ seconds }, at + ageMs)).toBe(isNow));

  test("ends before a delivery is no longer recognized, so that no recorded one starts a second run", () => {
    const firstAccepted = at - WEBHOOK_SIGNATURE_MAX_AHEAD_MS;
    expect(isOfNow({ seconds }, firstAccepted)).toBe(true);
    expect(isOfNow({ seconds }, firstAccepted + WEBHOOK_IDEMPOTENCY_WINDOW_MS)).toBe(false);
  });

  test("does not count in a scheme without one", () => expect(isOfNow({ seconds: null }, 0)).toBe(true));
});
