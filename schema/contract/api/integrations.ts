import {
  alertmanagerWebhookSchema,
  cloudEventSchema,
  createdIntegrationSchema,
  createIntegrationSchema,
  deliveryAnswerSchema,
  integrationSchema,
  pagerdutyAnswerSchema,
  pagerdutyEventSchema,
} from "../integration.ts";
import { deletedSchema, pageQuerySchema } from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Integrations";

export const listIntegrations = {
  id: "listIntegrations",
  method: "GET",
  path: "/api/v1/automation/integrations",
  tag,
  summary: "List integrations",
  description: "Newest first. Keys are not shown.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: integrationSchema },
} as const satisfies Operation;

export const createIntegration = {
  id: "createIntegration",
  method: "POST",
  path: "/api/v1/automation/integrations",
  tag,
  summary: "Create an integration",
  description:
    "The answer shows the key, and the address that holds it, this once. Configure the address at the source: whoever has " +
    "it can open and resolve incidents.",
  access: "admin",
  body: createIntegrationSchema,
  answer: { kind: "data", status: 201, data: createdIntegrationSchema },
  idempotent: "showsSecret",
  creates: "integration",
  lostSecret: "If it was lost, delete the integration and create another with a new Idempotency-Key.",
} as const satisfies Operation;

export const deleteIntegration = {
  id: "deleteIntegration",
  method: "DELETE",
  path: "/api/v1/automation/integrations/{id}",
  tag,
  summary: "Delete an integration",
  description: "Its key is refused from the next delivery on. The incidents that it made stay.",
  access: "admin",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found"],
} as const satisfies Operation;

const errors = ["not_found", "rate_limit_exceeded"] as const;

export const deliverAlertmanager = {
  id: "deliverAlertmanager",
  method: "POST",
  path: "/api/v1/integrations/alertmanager/{key}",
  tag,
  summary: "Deliver alerts of Prometheus Alertmanager",
  description:
    "For `webhook_configs` of Alertmanager. A group becomes one incident for each alert: `fingerprint` is its key, and an " +
    "alert that is resolved resolves it. The same notification again changes nothing; a firing whose incident was resolved " +
    "opens a new one only with another `startsAt`. Of an alert come: title from the annotation `summary`, else the label " +
    "`alertname`; description from the annotation `description`; severity from the label `severity` (critical, high, medium " +
    "and low, also page, error, warning, info and other usual names; medium when it is unknown); service from the labels " +
    "`service` or `job`; host from `host`, or `instance` without its port; teamId from `teamId` or `team`; all labels as " +
    "tags; source `alertmanager`. One alert that is not understood is told in the answer and keeps no other back; 400 when " +
    "none is. An alert whose end is told before its beginning opens none. At most 1,000 of a group are written at once: a " +
    "larger one is answered 503 after them, and goes on when it is sent again.",
  access: "public",
  body: alertmanagerWebhookSchema,
  example: {
    version: "4",
    status: "firing",
    alerts: [
      {
        status: "firing",
        labels: { alertname: "DiskFull", severity: "critical", instance: "web-1:9100", service: "shop" },
        annotations: { summary: "The disk of web-1 is full" },
        startsAt: "2026-11-21T03:00:00Z",
        endsAt: "0001-01-01T00:00:00Z",
        fingerprint: "c4a3f1d2b5e60798",
      },
    ],
  },
  answer: { kind: "data", status: 200, data: deliveryAnswerSchema },
  errors,
} as const satisfies Operation;

export const deliverPagerduty = {
  id: "deliverPagerduty",
  method: "POST",
  path: "/api/v1/integrations/pagerduty/{key}",
  tag,
  summary: "Deliver an event in the form of PagerDuty's Events API v2",
  description:
    "For anything that sends to PagerDuty and lets its address be changed. `trigger` opens an incident, or brings the open " +
    "one of its `dedup_key` up to date; `acknowledge` and `resolve` act on it, and do nothing when there is none. " +
    "`routing_key` is not looked at: the address is the key. Of `payload` come: title from `summary`; severity (critical, " +
    "error as high, warning as medium, info as low); host from `source`; service from `component` or `group`; description " +
    "from `custom_details` when that is text, else from its `description`; tags from component, group, class, client and " +
    'the members of `custom_details`; source `pagerduty`. Invalid events are answered 400 in PagerDuty\'s form, `{"status": ' +
    '"invalid event", "message", "errors"}`.',
  access: "public",
  body: pagerdutyEventSchema,
  example: {
    routing_key: "any",
    event_action: "trigger",
    dedup_key: "web-1/disk",
    payload: { summary: "The disk of web-1 is full", source: "web-1", severity: "critical", component: "shop" },
  },
  answer: { kind: "raw", status: 202, contentType: "application/json", schema: pagerdutyAnswerSchema },
  errors,
} as const satisfies Operation;

/** Clients with only a configurable host append the original path to it. */
export const deliverPagerdutyEnqueue = {
  ...deliverPagerduty,
  id: "deliverPagerdutyEnqueue",
  path: "/api/v1/integrations/pagerduty/{key}/v2/enqueue",
  summary: "The same, for clients that append /v2/enqueue to the address",
} as const satisfies Operation;

export const deliverCloudevents = {
  id: "deliverCloudevents",
  method: "POST",
  path: "/api/v1/integrations/cloudevents/{key}",
  tag,
  summary: "Deliver CloudEvents 1.0",
  description:
    "Structured (`application/cloudevents+json`), batched (`application/cloudevents-batch+json`) or binary: " +
    "attributes as `ce-*` headers, `data` as the body, in JSON or text; data of another type is left out, and the " +
    "event is kept. An event is known by its `source` and `id` and taken once. What it does says the last word of its " +
    "`type` (`com.example.alert.resolved`), else `data.status`: resolved, closed, recovered or ok resolves; " +
    "acknowledged or acked acknowledges; anything else opens an incident, or brings the open one up to date. Its key " +
    "is `data.dedupKey`, else `source` and `subject`, else its own `id`; to acknowledge or resolve, one of the first " +
    "two is needed. `data`, when it is an object, may hold the incident's title (else summary, message, the type and " +
    "subject), description, severity (critical, high, medium, low or a usual name; medium without or when it is " +
    "unknown), service, host, source (else `cloudevents`), teamId, assignedTo and tags (texts, numbers and booleans); " +
    "what is of another type there is not looked at. The event's attributes are tags as well: `ce.type`, `ce.source` " +
    "…. Of a batch, an event that is not understood is told in the answer and keeps no other back; 400 when none is. " +
    "At most 1,000 of a batch are written at once: a larger one is answered 503 after them, and goes on when it is " +
    "sent again.",
  access: "public",
  body: cloudEventSchema,
  bodyType: "application/cloudevents+json",
  example: {
    specversion: "1.0",
    id: "e-1",
    source: "https://monitoring.example.com",
    type: "com.example.disk.full",
    subject: "web-1/disk",
    data: { title: "The disk of web-1 is full", severity: "critical", host: "web-1", service: "shop" },
  },
  answer: { kind: "data", status: 200, data: deliveryAnswerSchema },
  errors,
} as const satisfies Operation;
