import { z } from "zod";
import { executionStatusSchema } from "./execution.ts";
import { INCIDENT_TAGS_MAX } from "../limits.ts";
import { incidentEventTypeSchema } from "./workflow.ts";

/** Incidents (docs/design/workflows.md#incident-events). */
export const severitySchema = z.enum(["critical", "high", "medium", "low"]);
export type Severity = z.infer<typeof severitySchema>;
export const incidentStatusSchema = z.enum(["triggered", "acknowledged", "resolved"]);
export type IncidentStatus = z.infer<typeof incidentStatusSchema>;

/** The limits of an incident. Longer values from sources are cut; the API refuses them. */
export const INCIDENT_TITLE_MAX_CHARS = 500;
export const INCIDENT_DESCRIPTION_MAX_CHARS = 65_536;
export const INCIDENT_TEXT_MAX_CHARS = 500;
export const INCIDENT_TAG_KEY_MAX_CHARS = 128;
export const INCIDENT_TAG_VALUE_MAX_CHARS = 2_000;

const text = z.string().trim().min(1).max(INCIDENT_TEXT_MAX_CHARS);
const tags = z
  .record(z.string().min(1).max(INCIDENT_TAG_KEY_MAX_CHARS), z.string().max(INCIDENT_TAG_VALUE_MAX_CHARS))
  .refine((given) => Object.keys(given).length <= INCIDENT_TAGS_MAX, `must have at most ${INCIDENT_TAGS_MAX} tags`);

export const createIncidentSchema = z.strictObject({
  title: z.string().trim().min(1).max(INCIDENT_TITLE_MAX_CHARS),
  description: z.string().max(INCIDENT_DESCRIPTION_MAX_CHARS).optional(),
  severity: severitySchema.optional().describe("medium when it is not given"),
  service: text.optional(),
  source: text.optional(),
  host: text.optional(),
  teamId: text.optional(),
  assignedTo: text.optional(),
  tags: tags.optional(),
  dedupKey: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe("One open incident for each key: with the key of an open incident, that incident is updated instead"),
});

/** A missing field stays unchanged; null removes the value. */
const assignee = { teamId: text.nullable().optional(), assignedTo: text.nullable().optional() };

export const escalateIncidentSchema = z.strictObject({
  ...assignee,
  reason: z.string().trim().min(1).max(2_000).optional().describe("Shown with the event"),
});
export const reassignIncidentSchema = z
  .strictObject(assignee)
  .refine((input) => input.teamId !== undefined || input.assignedTo !== undefined, {
    error: "give teamId or assignedTo",
  });

export const incidentSchema = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  severity: severitySchema,
  status: incidentStatusSchema,
  service: z.string().nullable(),
  source: z.string().nullable(),
  host: z.string().nullable(),
  teamId: z.string().nullable(),
  assignedTo: z.string().nullable(),
  tags: z.record(z.string(), z.string()),
  dedupKey: z.string().nullable(),
  escalationLevel: z.int(),
  /** Rises with every change; the first part of the `ETag`. */
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  resolvedAt: z.iso.datetime().nullable(),
});
export type IncidentView = z.infer<typeof incidentSchema>;

/** An execution that an incident's event started. */
export const incidentExecutionSchema = z.object({
  id: z.string(),
  workflowId: z.string(),
  /** Null when the workflow was deleted. */
  workflowName: z.string().nullable(),
  status: executionStatusSchema,
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export const incidentEventSchema = z.object({
  id: z.string(),
  incidentId: z.string(),
  type: incidentEventTypeSchema,
  at: z.iso.datetime(),
  by: z
    .string()
    .nullable()
    .describe("The person, token or integration that made the change; null when its audit entry is not known."),
  reason: z.string().nullable().describe("The reason of an escalation."),
  matchedAt: z.iso
    .datetime()
    .nullable()
    .describe("When it was matched with the workflows; null until all matching workflows have been started."),
  executions: z
    .array(incidentExecutionSchema)
    .describe("The executions that it started; empty if no active workflow matches."),
});
export type IncidentEventView = z.infer<typeof incidentEventSchema>;

/** An incident with its events, oldest first. */
export const incidentDetailSchema = incidentSchema.extend({ events: z.array(incidentEventSchema) });
export type IncidentDetail = z.infer<typeof incidentDetailSchema>;
