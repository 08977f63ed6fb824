import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { WebhookVerification } from "../../../schema/contract/webhook-verification.ts";

/** Longer than any of Slack's. */
const CHALLENGE_MAX_CHARS = 1_000;

/** Whether the sender of a webhook that is verified so is Slack. */
export function isSlack(verification: WebhookVerification): boolean {
  return verification.type === "hmac" && verification.scheme === "slack";
}

/** The challenge of the request by which Slack checks an address for its Events API; null for any other body. */
export function challengeOf(body: JsonValue | undefined): string | null {
  if (!isJsonObject(body) || body["type"] !== "url_verification") return null;
  const { challenge } = body;
  return typeof challenge === "string" && challenge.length <= CHALLENGE_MAX_CHARS ? challenge : null;
}
