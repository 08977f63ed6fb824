import { ProblemError } from "../problem.ts";
import type { WebhookCall } from "./webhook-call.ts";

/** The refusals of a webhook. Those of a secret and a signature are the same: no answer says how a key is verified. */
export function unknownKey({ bearer }: Pick<WebhookCall, "bearer">): ProblemError {
  // A caller without a token learns nothing about keys.
  if (bearer === null) return unauthorized();
  return new ProblemError(
    "webhook_not_found",
    "There is no webhook with this key. Copy its address from the workflow.",
  );
}

export function inactive(): ProblemError {
  return new ProblemError(
    "webhook_not_found",
    "The workflow of this webhook is not published or not active. Publish it and activate it.",
  );
}

export function unauthorized(): ProblemError {
  return new ProblemError(
    "unauthorized",
    "The webhook's secret or signature is missing, wrong or too old. The workflow's page says what this webhook expects.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}

export function tooMany(reason: string, retryAfterSeconds: number): ProblemError {
  return new ProblemError("rate_limit_exceeded", `${reason} Try again in ${retryAfterSeconds} s.`, {
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}
