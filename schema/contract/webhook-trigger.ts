import { z } from "zod";
import { WEBHOOK_NAMES_MAX } from "../limits.ts";

/** The trigger of a webhook (docs/design/workflows.md#webhook-payloads). */
const names = <T extends z.ZodType>(name: T) =>
  z.array(name).max(WEBHOOK_NAMES_MAX, `must have at most ${WEBHOOK_NAMES_MAX} names`).optional();

/** The shape of every stored draft, without the rules about values. */
export const draftWebhookTriggerSchema = z.strictObject({
  type: z.literal("webhook"),
  payload: z.enum(["variables", "body"]).optional(),
  headers: names(z.string().max(100)),
  query: names(z.string().max(100)),
  sensitive: names(z.string().max(512)),
});
export type WebhookTrigger = z.infer<typeof draftWebhookTriggerSchema>;

export const webhookTriggerSchema = draftWebhookTriggerSchema.extend({
  payload: draftWebhookTriggerSchema.shape.payload.describe(
    "`variables` (the default): templates read the body's `variables` as `webhook.<key>`. `body`: they read `webhook.body.<path>`, and `webhook.headers.<name>` and `webhook.query.<name>` of the names listed here.",
  ),
  headers: names(
    z.string().regex(/^[a-z0-9][a-z0-9_-]{0,99}$/u, "must be the name of a header, in lower case"),
  ).describe("With `payload: body`, the headers that templates read. A header that holds a secret is refused."),
  query: names(
    z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/u,
        "must be 1 to 100 letters, digits, '_', '.' or '-', not starting with a mark",
      ),
  ).describe("With `payload: body`, the parameters of the address that templates read."),
  sensitive: names(z.string().min(1).max(512)).describe(
    "With `payload: body`, paths whose values are hidden, such as `body.customer.token`: answers about executions and jobs show `***`. Below a list, a name is that of each member. `body` hides it whole.",
  ),
});

/** The names that templates read of a request whose body they read whole. */
export interface PayloadNames {
  readonly headers: readonly string[];
  readonly query: readonly string[];
}

/** Null when templates read the variables in the body. */
export function payloadNames(trigger: { type: string } | WebhookTrigger): PayloadNames | null {
  if (!("payload" in trigger) || trigger.payload !== "body") return null;
  const { headers = [], query = [] } = trigger;
  return { headers, query };
}

/** The parameter of a webhook's address that is its secret. Templates never see it. */
export const SECRET_PARAMETER = "secret";

/**
 * Whether a header may hold a secret or a signature, or as the request's address the secret in it. No template reads it,
 * and no execution stores it.
 */
export function holdsSecret(header: string): boolean {
  return SECRETS.test(header) || ADDRESSES.test(header);
}

const SECRETS = /auth|cookie|secret|token|passw|signature|credential|api-?key/iu;
/** `Referer`, and what proxies make of the address: `X-Original-URI`, `X-Forwarded-Path`, `X-Rewrite-URL` … */
const ADDRESSES = /referr?er|(?:original|forwarded|rewrite|request|unencoded)-?(?:ur[il]|path|query|target)/iu;
