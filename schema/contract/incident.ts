import { z } from "zod";
import { incidentEventTypeSchema } from "./workflow.ts";

/** Incidents and where they come from (specification, "Workflow" and "Events"; design 4). */
export const severitySchema = z.enum(["critical", "high", "medium", "low"]);
export const incidentStatusSchema = z.enum(["triggered", "acknowledged", "resolved"]);

const shortText = z.string().max(500);
export const createIncidentSchema = z.strictObject({
  title: z.string().trim().min(1).max(500),
  description: z.string().max(65_536).optional(),
  severity: severitySchema.default("medium"),
  service: shortText.optional(),
  source: shortText.optional(),
  host: shortText.optional(),
  teamId: shortText.optional(),
  assignedTo: shortText.optional(),
  tags: z.record(z.string().min(1).max(128), z.string().max(2_000)).default({}),
  dedupKey: z.string().min(1).max(255).optional(),
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
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export const incidentEventSchema = z.object({
  id: z.string(),
  incidentId: z.string(),
  type: incidentEventTypeSchema,
  at: z.iso.datetime(),
});
export const reassignIncidentSchema = z
  .strictObject({ teamId: shortText.optional(), assignedTo: shortText.optional() })
  .refine((input) => input.teamId !== undefined || input.assignedTo !== undefined, {
    error: "give teamId or assignedTo",
  });

export const integrationKindSchema = z.enum(["alertmanager", "pagerduty", "cloudevents"]);
export const createIntegrationSchema = z.strictObject({
  name: z.string().trim().min(1).max(200),
  kind: integrationKindSchema,
});
export const integrationSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: integrationKindSchema,
  createdAt: z.iso.datetime(),
});
