import * as api from "../../schema/contract/api/webhooks.ts";
import { SECRET_PARAMETER } from "../../schema/contract/webhook-trigger.ts";
import { WEBHOOK_BODY_MAX_BYTES, WEBHOOK_BODY_MAX_DEPTH } from "../../schema/limits.ts";
import { bearerToken } from "../http/authenticate.ts";
import { callerAddress } from "../http/caller-address.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { parseJsonBytes } from "../http/json-body.ts";
import { readBytes } from "../http/read-bytes.ts";
import { answer } from "../http/respond.ts";
import { isForm, parseSlackForm } from "../http/slack-form.ts";
import { FailedSecrets } from "../services/webhook/failed-secrets.ts";
import { sentNames } from "../services/webhook/sent-names.ts";
import { triggerWebhook } from "../services/webhook/trigger-webhook.ts";

const BODY_LIMITS = { maxBytes: WEBHOOK_BODY_MAX_BYTES, maxDepth: WEBHOOK_BODY_MAX_DEPTH };

/** One instance for the isolate: see the class. */
const failedSecrets = new FailedSecrets();

/** The body is read only after the secret was right: see the order of docs/design/http-api.md#webhook-checks. */
export const webhookEndpoints: readonly Endpoint[] = [
  endpoint(api.triggerWebhook, async (c) => {
    const { headers } = c.req.raw;
    const answered = await triggerWebhook(c.var.deps, failedSecrets, {
      webhookKey: pathParam(c, "webhookKey"),
      bearer: bearerToken(c.req.header("Authorization")),
      addressSecret: c.req.query(SECRET_PARAMETER) ?? null,
      header: (name) => headers.get(name),
      address: callerAddress(c),
      idempotencyKey: c.req.header("X-Idempotency-Key") || (c.req.header("Idempotency-Key") ?? ""),
      sent: sentNames(headers, c.req.url),
      readBytes: () => readBytes(c.req.raw, BODY_LIMITS),
      parse: (bytes, mayBeForm) =>
        mayBeForm && isForm(headers)
          ? parseSlackForm(bytes, headers, BODY_LIMITS)
          : parseJsonBytes(bytes, headers, BODY_LIMITS),
    });
    if (answered.type === "check") {
      const { challenge } = answered;
      return challenge === null ? c.body(null, 200) : c.json({ challenge }, 200);
    }
    const { executionId, deduplicated } = answered.event;
    c.set("logFields", { executionId, deduplicated });
    // Slack shows the answer to a command to the person, and refuses one to a dialog.
    return answered.isForm ? c.body(null, 200) : answer(c, answered.event);
  }),
];
