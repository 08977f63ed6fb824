import { z } from "zod";
import type { Operation } from "../operation.ts";
import { triggerAnswerSchema, webhookBodySchema } from "../webhook.ts";

export const triggerWebhook = {
  id: "triggerWebhook",
  method: "POST",
  path: "/api/v1/automation/webhooks/{webhookKey}",
  tag: "Webhooks",
  summary: "Start a workflow through its webhook",
  description:
    "The body's `variables` are for the templates of the workflow; a workflow with `payload: body` takes any JSON body. A 200 means that the event is on disk and starts one execution. For five minutes the same `X-Idempotency-Key`, or without one the same body, gets the same execution and starts no other. A key takes 60 requests a minute unless it is set to another rate; refused requests do not count. The webhook's verification decides what proves the secret: a bearer token, a signature of the body, or the secret in the address. Of a signed event only what the signature covers makes it a repeat. With Slack's signature, forms are accepted and answered without a body, `url_verification` is answered with its `challenge`, and `ssl_check` without a body.",
  access: "public",
  security: "webhookSecret",
  query: z.looseObject({
    secret: z
      .string()
      .optional()
      .describe("The secret of a webhook whose verification is `address`. Every log of the address has it."),
  }),
  headers: [
    {
      name: "X-Idempotency-Key",
      description:
        "At most 255 characters. For five minutes the same key starts nothing new, with any body. Without it, `Idempotency-Key` counts.",
    },
  ],
  body: webhookBodySchema,
  example: { variables: { service: "nginx", host: "web-1" } },
  answer: { kind: "data", status: 200, data: triggerAnswerSchema },
  errors: ["unauthorized", "webhook_not_found", "rate_limit_exceeded"],
} as const satisfies Operation;
