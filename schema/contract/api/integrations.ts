import {
  alertmanagerWebhookSchema,
  cloudEventSchema,
  createdIntegrationSchema,
  createIntegrationSchema,
  deliveryAnswerSchema,
  integrationSchema,
  pagerdutyAnswerSchema,
  pagerdutyEventSchema,
  updateIntegrationSchema,
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
    "The answer shows the key, and the address with the key, only this once. Configure the address at the source: " +
    "anyone who has it can open and resolve incidents.",
  access: "admin",
  body: createIntegrationSchema,
  answer: { kind: "data", status: 201, data: createdIntegrationSchema },
  idempotent: "showsSecret",
  creates: "integration",
  lostSecret: "If it was lost, delete the integration and create another with a new Idempotency-Key.",
} as const satisfies Operation;

export const updateIntegration = {
  id: "updateIntegration",
  method: "PATCH",
  path: "/api/v1/automation/integrations/{id}",
  tag,
  summary: "Edit an integration",
  description:
    "Changes the fields in the body and no others. The name is the `source` of the incidents that it opens from then on. `severities` replaces all words.",
  access: "admin",
  body: updateIntegrationSchema,
  example: { severities: { page: "high", "*": "low" } },
  answer: { kind: "data", status: 200, data: integrationSchema },
  errors: ["not_found"],
} as const satisfies Operation;

export const deleteIntegration = {
  id: "deleteIntegration",
  method: "DELETE",
  path: "/api/v1/automation/integrations/{id}",
  tag,
  summary: "Delete an integration",
  description: "Its key is refused from the next delivery on. Its incidents stay.",
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
    "For `webhook_configs` of Alertmanager. A group becomes one incident for each alert: `fingerprint` is its " +
    "key, and a resolved alert resolves it. A repeated notification changes nothing; a firing alert whose " +
    "incident was resolved opens a new one only with another `startsAt`. The fields of the incident: title from " +
    "the annotation `summary`, else the label `alertname`; description from the annotation `description`; " +
    "severity from the label `severity` (critical, high, medium and low, also page, error, warning, info and " +
    "other usual names; medium when unknown); service from the labels `service` or `job`; host from `host`, or " +
    "`instance` without its port; teamId from `teamId` or `team`; all labels as tags, and so are other annotations and `generatorURL`; source is the name of the integration. The " +
    "answer names alerts with mistakes, and the other alerts are processed; 400 when every alert has mistakes. An " +
    "alert that ends before it begins opens no incident. At most 1,000 alerts of a group are written by one " +
    "request: a larger group gets 503 after them, and continues when it is sent again.",
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
    "For any sender to PagerDuty whose address can be changed. `trigger` opens an incident, or updates the open " +
    "one with its `dedup_key`; `acknowledge` and `resolve` act on that incident, and do nothing without one. " +
    "`routing_key` is ignored: the address is the key. Fields from `payload`: title from `summary`; severity " +
    "(critical, error as high, warning as medium, info as low); host from `source`; service from `component` or " +
    "`group`; description from `custom_details` if that is text, else from its `description`; tags from " +
    "component, group, class, client and the members of `custom_details`; source is the name of the integration. Invalid events are " +
    'answered 400 in PagerDuty\'s form, `{"status": "invalid event", "message", "errors"}`.',
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
    "attributes as `ce-*` headers, `data` as the body, in JSON or text. Data of another type is left out, and the " +
    "event is kept. `source` and `id` identify an event, which is processed once. The last word of its `type` " +
    "(`com.example.alert.resolved`), else `data.status`, decides its effect: resolved, closed, recovered or ok " +
    "resolves; acknowledged or acked acknowledges; anything else opens an incident, or updates the open one. Its " +
    "key is `data.dedupKey`, else `source` and `subject`, else its own `id`; acknowledging and resolving need one " +
    "of the first two. If `data` is an object, it may have the incident's title (else summary, message, the type " +
    "and subject), description, severity (critical, high, medium, low or a usual name; medium when missing or " +
    "unknown), service, host, source (else the integration's name), teamId, assignedTo and tags (texts, numbers and " +
    "booleans); fields of other types are ignored. The event's attributes also become tags: `ce.type`, " +
    "`ce.source` …. The answer to a batch names events with mistakes, and the other events are processed; 400 " +
    "when every event has mistakes. At most 1,000 events of a batch are written by one request: a larger batch " +
    "gets 503 after them, and continues when it is sent again.",
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
