import type { IncidentEventView, IncidentView } from "../../../schema/contract/incident.ts";
import type { AuditRow } from "../../store/audit.ts";
import type { IncidentEventRow, StartedExecution } from "../../store/incident-events.ts";
import type { IncidentRow } from "../../store/incidents.ts";
import { shownKey } from "./dedup-key.ts";

export function toIncidentView(row: IncidentRow): IncidentView {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    severity: row.severity,
    status: row.status,
    service: row.service,
    source: row.source,
    host: row.host,
    teamId: row.teamId,
    assignedTo: row.assignedTo,
    tags: row.tags,
    dedupKey: shownKey(row.dedupKey),
    escalationLevel: row.escalationLevel,
    revision: row.revision,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
    resolvedAt: row.resolvedAt === null ? null : new Date(row.resolvedAt).toISOString(),
  };
}

/** An event with its audit entry and the executions that it started, chosen from those of all its incident's events. */
export function toEventView(
  row: IncidentEventRow,
  { executions, audit }: { executions: readonly StartedExecution[]; audit: readonly AuditRow[] },
): IncidentEventView {
  const entry = audit.find(({ detail }) => detail["eventId"] === row.id);
  const reason = entry?.detail["reason"];
  return {
    id: row.id,
    incidentId: row.incidentId,
    type: row.type,
    at: new Date(row.at).toISOString(),
    by: entry?.actor ?? null,
    reason: typeof reason === "string" ? reason : null,
    matchedAt: row.matchedAt === null ? null : new Date(row.matchedAt).toISOString(),
    executions: executions
      .filter(({ triggerKey }) => triggerKey === row.id)
      .map((execution) => ({
        id: execution.id,
        workflowId: execution.workflowId,
        workflowName: execution.workflowName,
        status: execution.status,
        startedAt: new Date(execution.startedAt).toISOString(),
        finishedAt: execution.finishedAt === null ? null : new Date(execution.finishedAt).toISOString(),
      })),
  };
}
