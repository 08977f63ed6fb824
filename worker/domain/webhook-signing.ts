import type { HmacVerification } from "../../schema/contract/webhook-verification.ts";
import { WEBHOOK_SIGNATURE_MAX_AGE_MS, WEBHOOK_SIGNATURE_MAX_AHEAD_MS } from "../../schema/limits.ts";

/** What a request's headers say about its signature, by the scheme of its sender. */
export interface Signing {
  /** The signed bytes are this text and then the body. */
  readonly before: string;
  /** The signatures, of which one must be right. */
  readonly signatures: readonly Signature[];
  /** The time of the signature in seconds; null in a scheme without one. */
  readonly seconds: number | null;
  /** The delivery's id, if the signature covers it. A caller that repeats a delivery can change any other. */
  readonly deliveryId: string | null;
}

interface Signature {
  readonly text: string;
  readonly encoding: "hex" | "base64";
}

type Header = (name: string) => string | null;

/** A sender that changes its secret signs twice for a while. More are not looked at. */
const SIGNATURES_MAX = 5;
const NOTHING = { before: "", seconds: null, deliveryId: null };

/** Null when the request has no signature of this form. */
export function signingOf(verification: HmacVerification, header: Header): Signing | null {
  const signing = read(verification, header);
  return signing === null || signing.signatures.length === 0 ? null : signing;
}

function read(verification: HmacVerification, header: Header): Signing | null {
  switch (verification.scheme) {
    case "github":
      return { ...NOTHING, signatures: hex(after("sha256=", header("X-Hub-Signature-256"))) };
    case "generic": {
      const { prefix = "", encoding } = verification;
      // Some senders list several, as PagerDuty does while a secret changes. A comma may belong to the prefix.
      const between = prefix.includes(",") ? / +/u : /[ ,]+/u;
      const parts = few((header(verification.header) ?? "").split(between)).map((part) => after(prefix, part));
      return { ...NOTHING, signatures: parts.flatMap(encoding === "hex" ? hex : base64) };
    }
    case "slack": {
      const seconds = header("X-Slack-Request-Timestamp") ?? "";
      const signatures = hex(after("v0=", header("X-Slack-Signature")));
      return timed(seconds, { before: `v0:${seconds}:`, signatures, deliveryId: null });
    }
    case "stripe": {
      const parts = (header("Stripe-Signature") ?? "").split(",").map((part) => part.trim());
      const seconds = parts.find((part) => part.startsWith("t="))?.slice("t=".length) ?? "";
      const signatures = few(parts).flatMap((part) => hex(after("v1=", part)));
      return timed(seconds, { before: `${seconds}.`, signatures, deliveryId: null });
    }
    case "standard-webhooks": {
      const deliveryId = header("webhook-id") ?? "";
      const seconds = header("webhook-timestamp") ?? "";
      const parts = few((header("webhook-signature") ?? "").split(" "));
      const signatures = parts.flatMap((part) => base64(after("v1,", part)));
      if (deliveryId === "") return null;
      return timed(seconds, { before: `${deliveryId}.${seconds}.`, signatures, deliveryId });
    }
  }
}

/**
 * Whether a signature is of now. Its whole time is as long as a repeated delivery is recognized, so a delivery that
 * someone recorded starts nothing, neither while it is recognized nor after (docs/decisions/0032-verification-of-webhooks.md).
 */
export function isOfNow({ seconds }: Pick<Signing, "seconds">, now: number): boolean {
  if (seconds === null) return true;
  const ageMs = now - seconds * 1_000;
  return ageMs < WEBHOOK_SIGNATURE_MAX_AGE_MS && ageMs >= -WEBHOOK_SIGNATURE_MAX_AHEAD_MS;
}

function timed(seconds: string, rest: Omit<Signing, "seconds">): Signing | null {
  return /^\d{1,11}$/u.test(seconds) ? { ...rest, seconds: Number(seconds) } : null;
}

function few(parts: readonly string[]): readonly string[] {
  return parts.slice(0, SIGNATURES_MAX);
}

function after(prefix: string, text: string | null): string {
  return text?.startsWith(prefix) === true ? text.slice(prefix.length) : "";
}

/** The forms of a SHA-256. */
const hex = (text: string): Signature[] => (/^[0-9a-f]{64}$/iu.test(text) ? [{ text, encoding: "hex" }] : []);
const base64 = (text: string): Signature[] =>
  /^[A-Za-z0-9+/]{43}=$/u.test(text) ? [{ text, encoding: "base64" }] : [];
