import { z } from "zod";
import {
  createIncidentSchema,
  escalateIncidentSchema,
  incidentDetailSchema,
  incidentSchema,
  incidentStatusSchema,
  reassignIncidentSchema,
  severitySchema,
} from "../incident.ts";
import { pageQuerySchema } from "../management.ts";
import type { Operation } from "../operation.ts";
import { NO_SPAN, isSpan } from "../query.ts";

const tag = "Incidents";
const one = "/api/v1/automation/incidents/{id}";
const errors = ["not_found", "conflict"] as const;
const answer = { kind: "data", status: 200, data: incidentSchema } as const;

const listIncidentsQuerySchema = pageQuerySchema
  .extend({
    status: incidentStatusSchema.optional(),
    severity: severitySchema.optional(),
    service: z.string().max(500).optional(),
    source: z.string().max(500).optional(),
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(isSpan, NO_SPAN);

export const listIncidents = {
  id: "listIncidents",
  method: "GET",
  path: "/api/v1/automation/incidents",
  tag,
  summary: "List incidents",
  description: "Newest first. `from` and `to` limit the time of creation, both inclusive.",
  access: "automation:read",
  query: listIncidentsQuerySchema,
  answer: { kind: "page", item: incidentSchema },
} as const satisfies Operation;

export const createIncident = {
  id: "createIncident",
  method: "POST",
  path: "/api/v1/automation/incidents",
  tag,
  summary: "Create an incident",
  description:
    "Emits `incident.created`. Each `dedupKey` has at most one open incident. With the key of an open incident, the answer " +
    "is that incident, with status 200 instead of 201, and no event is emitted: its title, and any given description, " +
    "severity and tags, are replaced. Keys of the API and of each integration are separate.",
  access: "incidents:write",
  body: createIncidentSchema,
  answer: { kind: "data", status: 201, data: incidentSchema, alsoStatus: 200 },
  errors: ["conflict"],
  idempotent: true,
  creates: "incident",
} as const satisfies Operation;

export const getIncident = {
  id: "getIncident",
  method: "GET",
  path: one,
  tag,
  summary: "Show an incident",
  description: "With its events, oldest first, and the executions that each of them started.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: incidentDetailSchema },
  errors: ["not_found"],
  etag: true,
} as const satisfies Operation;

export const acknowledgeIncident = {
  id: "acknowledgeIncident",
  method: "POST",
  path: `${one}/acknowledge`,
  tag,
  summary: "Acknowledge an incident",
  description: "Emits `incident.acknowledged`. An acknowledged incident stays unchanged and emits nothing.",
  access: "incidents:write",
  answer,
  errors,
  etag: true,
} as const satisfies Operation;

export const resolveIncident = {
  id: "resolveIncident",
  method: "POST",
  path: `${one}/resolve`,
  tag,
  summary: "Resolve an incident",
  description: "Emits `incident.resolved`. A resolved incident stays unchanged and emits nothing.",
  access: "incidents:write",
  answer,
  errors,
  etag: true,
} as const satisfies Operation;

export const escalateIncident = {
  id: "escalateIncident",
  method: "POST",
  path: `${one}/escalate`,
  tag,
  summary: "Escalate an incident",
  description:
    "Each call raises `escalationLevel` by one and emits `incident.escalated`. The status stays. A given team or person " +
    "replaces the present one; null removes it.",
  access: "incidents:write",
  body: escalateIncidentSchema,
  answer,
  errors,
  etag: true,
  idempotent: true,
  creates: "event",
} as const satisfies Operation;

export const reassignIncident = {
  id: "reassignIncident",
  method: "POST",
  path: `${one}/reassign`,
  tag,
  summary: "Reassign an incident",
  description:
    "To another team, another person or both. A missing field stays, null removes the value. Emits `incident.reassigned`, " +
    "unless nothing changes.",
  access: "incidents:write",
  body: reassignIncidentSchema,
  example: { assignedTo: "ada@example.com" },
  answer,
  errors,
  etag: true,
} as const satisfies Operation;
