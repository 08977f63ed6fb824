import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { WebhookVerification } from "../../../schema/contract/webhook-verification.ts";
import type { ParsedBody } from "./webhook-call.ts";

/** Longer than any of Slack's. */
const CHALLENGE_MAX_CHARS = 1_000;

/** Whether the sender of a webhook that is verified so is Slack. */
export function isSlack(verification: WebhookVerification): boolean {
  return verification.type === "hmac" && verification.scheme === "slack";
}

/** A request by which Slack checks an address: it starts nothing, and is answered with its challenge or without a body. */
export interface SlackCheck {
  challenge: string | null;
}

/** The check of the Events API, or of a command's certificate, which is a form; null for any other body. */
export function slackCheckOf({ value, isForm }: ParsedBody): SlackCheck | null {
  if (!isJsonObject(value)) return null;
  if (isForm === true) return value["ssl_check"] === "1" ? { challenge: null } : null;
  const { type, challenge } = value;
  if (type !== "url_verification" || typeof challenge !== "string") return null;
  return challenge.length <= CHALLENGE_MAX_CHARS ? { challenge } : null;
}
