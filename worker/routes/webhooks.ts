import { Hono } from "hono";
import { WEBHOOK_BODY_MAX_BYTES, WEBHOOK_BODY_MAX_DEPTH } from "../../schema/limits.ts";
import type { AppEnv } from "../http/app-types.ts";
import { bearerToken } from "../http/authenticate.ts";
import { readJsonBody } from "../http/json-body.ts";
import { only } from "../http/methods.ts";
import { ProblemError } from "../services/problem.ts";
import { FailedSecrets } from "../services/webhook/failed-secrets.ts";
import { triggerWebhook } from "../services/webhook/trigger-webhook.ts";

const BODY_LIMITS = { maxBytes: WEBHOOK_BODY_MAX_BYTES, maxDepth: WEBHOOK_BODY_MAX_DEPTH };
/** Where nothing stands in front that names the caller, all callers are one. */
const UNKNOWN_ADDRESS = "local";

/** One for the isolate: see the class. */
const failedSecrets = new FailedSecrets();

/** `POST /api/v1/automation/webhooks/{webhookKey}` (specification, "Webhook trigger"). */
export const webhookRoutes = new Hono<AppEnv>();

webhookRoutes.post("/:webhookKey", async (context) => {
  const secret = bearerToken(context.req.header("Authorization"));
  if (secret === null) {
    throw new ProblemError("unauthorized", "Send the webhook secret as Authorization: Bearer <secret>.", {
      headers: { "WWW-Authenticate": "Bearer" },
    });
  }
  const data = await triggerWebhook(context.get("deps"), failedSecrets, {
    webhookKey: context.req.param("webhookKey"),
    secret,
    address: context.req.header("CF-Connecting-IP") ?? UNKNOWN_ADDRESS,
    idempotencyKey: context.req.header("X-Idempotency-Key") ?? "",
    readBody: () => readJsonBody(context.req.raw, BODY_LIMITS),
  });
  return context.json({ success: true, data }, 200, { "Cache-Control": "no-store" });
});

webhookRoutes.all("/:webhookKey", only("POST"));

webhookRoutes.all("*", () => {
  throw new ProblemError("webhook_not_found", "The address of a webhook ends with its key.");
});
