import { incidentStatusSchema, severitySchema } from "../../../schema/contract/incident.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { incidentEventTypeSchema } from "../../../schema/contract/workflow.ts";
import { ownValue } from "../own-value.ts";

/**
 * The fields for conditions of an incident trigger (docs/design/workflows.md#incident-events), and the incident's other
 * fields.
 */
export const INCIDENT_FIELDS = [
  "severity",
  "status",
  "service",
  "source",
  "host",
  "teamId",
  "id",
  "title",
  "description",
  "assignedTo",
  "createdAt",
  "eventType",
] as const;

/** Fields with a fixed set of values. */
export const INCIDENT_CHOICES: Readonly<Record<string, readonly string[]>> = {
  severity: severitySchema.options,
  status: incidentStatusSchema.options,
  eventType: incidentEventTypeSchema.options,
};

/** `greaterThan` and `lessThan` follow this order, not the alphabet's. */
const SEVERITY_RANK: Readonly<Record<string, number>> = { critical: 4, high: 3, medium: 2, low: 1 };

const TAGS = "tags.";

/** The value of a field in an incident's snapshot; undefined when the incident has none. */
export function incidentValue(snapshot: JsonValue, field: string): JsonValue | undefined {
  const key = tagKey(field);
  if (key !== null) return ownValue(snapshot, ["tags", key]);
  return isIncidentField(field) ? ownValue(snapshot, [field]) : undefined;
}

/** The key in a field `tags.<key>`: everything after the first dot, with further dots. Null for other fields. */
export function tagKey(field: string): string | null {
  return field.startsWith(TAGS) && field.length > TAGS.length ? field.slice(TAGS.length) : null;
}

export function isIncidentField(field: string): boolean {
  return INCIDENT_FIELDS.some((known) => known === field);
}

/** A severity as a number, so that severities can be compared; null for anything else. */
export function severityRank(value: JsonValue | undefined): number | null {
  return typeof value === "string" && Object.hasOwn(SEVERITY_RANK, value) ? (SEVERITY_RANK[value] ?? null) : null;
}
