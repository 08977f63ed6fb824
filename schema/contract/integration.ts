import { z } from "zod";
import { INTEGRATION_DELIVERY_MAX_ENTRIES, SEVERITY_WORDS_MAX } from "../limits.ts";
import { severitySchema } from "./incident.ts";
import { nameSchema } from "./name.ts";

/** Integrations: keys with which other systems deliver their alerts (docs/design/domain.md#integrations). */
export const integrationKindSchema = z.enum(["alertmanager", "pagerduty", "cloudevents"]);
export type IntegrationKind = z.infer<typeof integrationKindSchema>;

/** `itg<10 base62>_<43 base62>`: the part before the underscore finds the integration. */
export const integrationKeySchema = z.string().regex(/^itg[A-Za-z0-9]{10}_[A-Za-z0-9]{43}$/u);

/** The key of every word that neither the integration nor Bellhop knows. */
export const OTHER_WORDS = "*";

/** The form in which a source's words for severities are compared: `SEV-1` and `sev1` are the same. */
export function severityWord(word: string): string {
  return word.trim().toLowerCase().replace(/[-_ ]/gu, "");
}

const severities = z
  .record(z.string().max(100), severitySchema)
  .superRefine((words, context) => {
    const known = new Map<string, string>();
    for (const word of Object.keys(words)) {
      const same = known.get(severityWord(word));
      const wrong = (message: string) => context.addIssue({ code: "custom", path: [word], message });
      if (severityWord(word) === "") wrong("needs a character other than blanks, '-' and '_'");
      else if (same !== undefined) wrong(`is the same word as ${same}: keep one of them`);
      known.set(severityWord(word), word);
    }
  })
  .refine((words) => Object.keys(words).length <= SEVERITY_WORDS_MAX, {
    error: `must have at most ${SEVERITY_WORDS_MAX} words`,
  })
  .describe(
    'The severity for words of the source, such as `{"page": "high"}`, before the usual ones. Case, blanks, `-` and `_` do not count. `*` is for every other unknown word, which is `medium` without it.',
  );

export const updateIntegrationSchema = z.strictObject({
  name: nameSchema.optional(),
  severities: severities.optional(),
});

export const createIntegrationSchema = z.strictObject({
  name: nameSchema,
  kind: integrationKindSchema,
});
export const integrationSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: integrationKindSchema,
  severities: z.record(z.string(), severitySchema),
  createdAt: z.iso.datetime(),
});
export type IntegrationView = z.infer<typeof integrationSchema>;
export const createdIntegrationSchema = z.object({
  integration: integrationSchema,
  /** Shown only once. */
  key: z.string(),
  /** The address to configure at the source; it includes the key. */
  url: z.url(),
});

/** The result for one alert or event of a delivery. */
export const deliveryResultSchema = z.object({
  /** Its index in the delivery, from 0. */
  index: z.int(),
  outcome: z.enum(["created", "updated", "acknowledged", "resolved", "unchanged", "ignored", "rejected"]),
  incidentId: z.string().nullable(),
  /** Why it was rejected or ignored, and what to do. */
  detail: z.string().optional(),
});
export type DeliveryResult = z.infer<typeof deliveryResultSchema>;
export const deliveryAnswerSchema = z.object({ results: z.array(deliveryResultSchema) });

/** Prometheus Alertmanager's webhook, version 4. Other fields are ignored. */
export const alertmanagerWebhookSchema = z.looseObject({
  alerts: z.array(z.unknown()).max(INTEGRATION_DELIVERY_MAX_ENTRIES),
});
const labels = z.record(z.string(), z.string());
export const alertmanagerAlertSchema = z.looseObject({
  status: z.enum(["firing", "resolved"]),
  labels,
  annotations: labels.optional(),
  startsAt: z.iso.datetime({ offset: true }),
  /** Where Prometheus shows the rule. A wrong one must not lose an alert. */
  generatorURL: z.string().optional().catch(undefined),
  fingerprint: z.string().min(1).max(128),
});
export type AlertmanagerAlert = z.infer<typeof alertmanagerAlertSchema>;

/** PagerDuty's Events API v2, `POST /v2/enqueue`. `routing_key` is ignored: the address identifies the sender. */
const detailText = z.string().nullish();
export const pagerdutyTriggerSchema = z.looseObject({
  event_action: z.literal("trigger"),
  dedup_key: z.string().max(255).nullish(),
  payload: z.looseObject({
    summary: z.string().trim().min(1),
    source: z.string().trim().min(1),
    severity: z.enum(["critical", "error", "warning", "info"]),
    component: detailText,
    group: detailText,
    class: detailText,
    custom_details: z.unknown().optional(),
  }),
  client: detailText,
  client_url: detailText,
});
const pagerdutyUpdateSchema = z.looseObject({
  event_action: z.enum(["acknowledge", "resolve"]),
  dedup_key: z.string().min(1).max(255),
});
export const pagerdutyEventSchema = z.discriminatedUnion("event_action", [
  pagerdutyTriggerSchema,
  pagerdutyUpdateSchema,
]);
export type PagerdutyEvent = z.infer<typeof pagerdutyEventSchema>;
export const pagerdutyAnswerSchema = z.object({
  status: z.literal("success"),
  message: z.string(),
  dedup_key: z.string(),
});

/** The attributes of CloudEvents 1.0; extensions are at the same level. */
export const cloudEventSchema = z.looseObject({
  specversion: z.literal("1.0"),
  id: z.string().min(1).max(1_024),
  source: z.string().min(1).max(2_048),
  type: z.string().min(1).max(1_024),
  subject: z.string().min(1).max(2_048).nullish(),
  data: z.unknown().optional(),
});
export type CloudEvent = z.infer<typeof cloudEventSchema>;

/**
 * The fields of an event's `data` about the incident, if `data` is an object; other fields are ignored. `data` belongs
 * to its producer, so a name may have another meaning there: a value of another type counts as absent.
 */
const dataText = z.string().optional().catch(undefined);
const tagValue = z.union([z.string(), z.number(), z.boolean()]).optional().catch(undefined);
export const cloudEventIncidentSchema = z.looseObject({
  title: dataText,
  summary: dataText,
  message: dataText,
  description: dataText,
  severity: dataText,
  status: dataText,
  service: dataText,
  source: dataText,
  host: dataText,
  teamId: dataText,
  assignedTo: dataText,
  tags: z.record(z.string(), tagValue).optional().catch(undefined),
  dedupKey: z.string().min(1).optional().catch(undefined),
});
export type CloudEventIncident = z.infer<typeof cloudEventIncidentSchema>;
