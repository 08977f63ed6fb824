import * as api from "../../schema/contract/api/webhooks.ts";
import { WEBHOOK_BODY_MAX_BYTES, WEBHOOK_BODY_MAX_DEPTH } from "../../schema/limits.ts";
import { bearerToken } from "../http/authenticate.ts";
import { callerAddress } from "../http/caller-address.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { readJsonBody } from "../http/json-body.ts";
import { answer } from "../http/respond.ts";
import { ProblemError } from "../services/problem.ts";
import { FailedSecrets } from "../services/webhook/failed-secrets.ts";
import { sentNames } from "../services/webhook/sent-names.ts";
import { triggerWebhook } from "../services/webhook/trigger-webhook.ts";

const BODY_LIMITS = { maxBytes: WEBHOOK_BODY_MAX_BYTES, maxDepth: WEBHOOK_BODY_MAX_DEPTH };

/** One instance for the isolate: see the class. */
const failedSecrets = new FailedSecrets();

/** The body is read only after the secret was right: see the order of docs/design/http-api.md#webhook-checks. */
export const webhookEndpoints: readonly Endpoint[] = [
  endpoint(api.triggerWebhook, async (c) => {
    const secret = bearerToken(c.req.header("Authorization"));
    if (secret === null) {
      throw new ProblemError("unauthorized", "Send the webhook secret as Authorization: Bearer <secret>.", {
        headers: { "WWW-Authenticate": "Bearer" },
      });
    }
    const data = await triggerWebhook(c.var.deps, failedSecrets, {
      webhookKey: pathParam(c, "webhookKey"),
      secret,
      address: callerAddress(c),
      idempotencyKey: c.req.header("X-Idempotency-Key") || (c.req.header("Idempotency-Key") ?? ""),
      sent: sentNames(c.req.raw.headers, c.req.url),
      readBody: () => readJsonBody(c.req.raw, BODY_LIMITS),
    });
    c.set("logFields", { executionId: data.executionId, deduplicated: data.deduplicated });
    return answer(c, data);
  }),
];
