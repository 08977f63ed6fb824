import type { DeliveryRefusal, WebhookDelivery } from "../../../schema/contract/webhook-delivery.ts";
import type { FOREIGN_SECRETS } from "../../../schema/contract/webhook-verification.ts";
import { count } from "../format.ts";

const TIMED = "A recorded request starts nothing: each signature counts for a few minutes, and only once.";
const UNTIMED =
  "Anyone who records a request can start another run with it after five minutes: the signature has no time.";

/** How callers of a webhook are verified, and the dialogs that change it. */
export const webhookKeys = {
  verification: "Callers are verified by",
  kinds: {
    bearer: "Bearer token",
    github: "GitHub signature",
    slack: "Slack signature",
    stripe: "Stripe signature",
    "standard-webhooks": "Standard Webhooks signature",
    generic: "Another HMAC-SHA256 signature",
    address: "Secret in the URL",
  },
  hints: {
    bearer: "The caller sends the header Authorization: Bearer <secret>.",
    github:
      "GitHub signs each delivery with the secret of the webhook. Choose the content type application/json there.",
    slack:
      "Slack signs each request with the app’s signing secret. Commands and buttons need the whole body as the trigger’s payload.",
    stripe:
      "Stripe shows the endpoint’s signing secret after it knows the URL: enter any text now, then replace the secret.",
    "standard-webhooks": "For senders that follow standardwebhooks.com.",
    generic: "The sender puts the HMAC-SHA256 of the body into a header.",
    address: "For senders that can set neither a header nor a signature.",
  },
  /** What can still go wrong with each; that of a secret in the URL is `addressRisk`. */
  risks: {
    bearer: "Anyone who can read a request has the secret.",
    github: UNTIMED,
    slack: TIMED,
    stripe: TIMED,
    "standard-webhooks": TIMED,
    generic: UNTIMED,
    address: "",
  },
  addressRisk: {
    title: "Everyone who sees the URL can start this workflow",
    body: "Proxies, browsers and the sender’s own logs often store URLs. Bellhop shows and logs it nowhere. Choose a signature or a token if the sender supports one.",
  },
  header: "Header with the signature",
  encoding: "Encoding",
  encodings: { hex: "Hexadecimal", base64: "Base64" },
  prefix: "Prefix",
  prefixHint: "Such as sha256=. Leave empty without one.",
  secret: "Signing secret",
  secretHints: {
    given: (sender: string) => `Copy it from ${sender}.`,
    optional: "Leave empty to generate one.",
  },
  senders: { slack: "Slack", stripe: "Stripe" } satisfies Record<(typeof FOREIGN_SECRETS)[number], string>,
  stored: "It is stored encrypted and never shown again.",
  key: {
    title: "Generate a webhook key",
    submit: "Generate key",
    replaceTitle: "Replace the webhook’s key?",
    replaceHelp: "The current URL and secret stop working immediately. Calls with them are refused and not stored.",
    replace: "Replace key",
  },
  newSecret: {
    title: "Replace the secret",
    help: "The URL stays, unless it contains the secret. Give callers the new secret while the old one still works. If the new secret is lost, replace it again: the old one keeps its time.",
    submit: "Replace secret",
    keep: "The old secret works for",
    keeps: { "0": "No longer: all old secrets end", "3600": "1 hour", "86400": "1 day", "604800": "7 days" },
    oldUntil: (time: string) => `The old secret works until ${time}.`,
  },
  rate: {
    title: "Requests a minute",
    help: (max: number) => `From 1 to ${max}. Requests above that get 429 with Retry-After.`,
    saved: "The rate is saved",
    notSaved: "The rate was not saved",
  },
  deliveries: {
    title: "Last deliveries",
    none: "No request has come to this webhook yet.",
    failed: "The last deliveries cannot be loaded",
    time: "Time",
    result: "Result",
    run: "Run",
    size: "Size",
    contentType: "Content type",
    results: {
      started: "Started a run",
      repeated: "Repeats an earlier one",
      answered: "Answered Slack’s check of the URL",
      refused: "Refused",
    } satisfies Record<WebhookDelivery["result"], string>,
    reasons: {
      unauthorized: "The secret or signature is missing or wrong.",
      inactive: "The workflow is not published or not active.",
      rate_limit_exceeded: "Too many requests in a minute.",
      payload_too_large: "The body is too large.",
      unsupported_media_type: "The body is not JSON.",
      invalid_request: "The body is wrong.",
      request_timeout: "The body did not arrive in time.",
    } satisfies Record<DeliveryRefusal, string>,
    times: (times: number) => `${count(times, "time")}, the latest shown`,
    ignored: (fields: readonly string[]) => `Templates do not see: ${fields.join(", ")}`,
    open: "Open the run",
    unknown: "–",
  },
  given: "The webhook accepts requests signed with the secret that you entered.",
  signed: "The sender signs its requests, so there is no command to try. Send a test delivery from there.",
};
