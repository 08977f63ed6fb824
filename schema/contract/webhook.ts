import { z } from "zod";
import { jsonObjectSchema } from "./json.ts";

/** `POST /api/v1/automation/webhooks/{webhookKey}` (docs/design/http-api.md#webhook). */
export const webhookKeySchema = z.string().regex(/^wh[A-Za-z0-9]{22}$/u);
export const webhookSecretSchema = z.string().regex(/^whs_[A-Za-z0-9]{43}$/u);

/**
 * Fields other than `variables` are allowed, because alert sources choose their own. They count for deduplication. A
 * workflow whose payload is the body takes any JSON value.
 */
export const webhookBodySchema = z.looseObject({ variables: jsonObjectSchema.optional() });

export const triggerAnswerSchema = z.object({
  executionId: z.string(),
  status: z.string(),
  startedAt: z.iso.datetime(),
  deduplicated: z.literal(true).optional(),
  ignoredFields: z
    .array(z.string())
    .optional()
    .describe(
      "The body's fields that templates do not see: all but `variables`, unless the workflow's payload is the body. Absent without any; 20 at most.",
    ),
});
export type TriggerAnswer = z.infer<typeof triggerAnswerSchema>;
