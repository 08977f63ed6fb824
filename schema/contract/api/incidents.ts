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
  description: "Newest first. `from` and `to` bound the time of creation, both inclusive.",
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
    "Emits `incident.created`. There is one open incident for each `dedupKey`: with the key of an open one, the answer is " +
    "that one, with status 200 instead of 201, and no event is emitted; its title, and its description, severity and tags " +
    "where they are given, become those of the request, and all else stays. Keys of the API and of each integration are " +
    "apart from each other.",
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
  description: "Emits `incident.acknowledged`. One that is acknowledged stays as it is and emits nothing.",
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
  description: "Emits `incident.resolved`. One that is resolved stays as it is and emits nothing.",
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
    "Raises `escalationLevel` by one and emits `incident.escalated`, with every call. The status stays. Team and person " +
    "change where they are given; null takes one away.",
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
    "To another team, another person or both; what is not given stays, null takes it away. Emits `incident.reassigned`, " +
    "unless nothing changes.",
  access: "incidents:write",
  body: reassignIncidentSchema,
  example: { assignedTo: "ada@example.com" },
  answer,
  errors,
  etag: true,
} as const satisfies Operation;
