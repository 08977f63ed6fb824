import type { JsonObject } from "../../../schema/contract/json.ts";
import type { IncidentEventType } from "../../../schema/contract/workflow.ts";
import { snapshotOf } from "../../domain/incident/index.ts";
import type { Incident } from "../../domain/incident/index.ts";
import type { NewIncident } from "../../domain/incident/signal.ts";
import type { Statement } from "../../store/database.ts";
import { insertIncidentEvent } from "../../store/incident-events.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import { insertIncident, updateIncident } from "../../store/incidents.ts";
import type { IncidentRow } from "../../store/incidents.ts";
import { record, recordIfChanged } from "../audit-record.ts";
import type { AuditEntry } from "../audit-record.ts";
import type { Deps } from "../deps.ts";

/** A change of an incident, its event and its audit entry, written in one batch. */
export interface IncidentChange {
  row: IncidentRow;
  event: IncidentEventRow;
  statements: Statement[];
}

/** A new incident and `incident.created`. The batch fails as a conflict when its key has an open incident. */
export function openIncident(
  deps: Deps,
  actor: string,
  incident: NewIncident,
  dedupKey: string | null,
  detail: JsonObject = {},
): IncidentChange {
  const now = deps.now();
  const row: IncidentRow = {
    ...incident,
    id: deps.newId("incident"),
    status: "triggered",
    tags: { ...incident.tags },
    dedupKey,
    escalationLevel: 0,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    resolvedAt: null,
  };
  const event = newEvent(deps, row, "incident.created");
  const audit = record(deps, {
    actor,
    verb: "create",
    subjectType: "incident",
    subjectId: row.id,
    detail: { title: row.title, severity: row.severity, eventId: event.id, ...detail },
  });
  return { row, event, statements: [insertIncident(deps.db, row), audit, insertIncidentEvent(deps.db, event)] };
}

/** A transition with its event. The batch fails as a conflict when the incident has changed since it was read. */
export function changeStatements(
  deps: Deps,
  before: IncidentRow,
  after: Incident,
  eventType: IncidentEventType,
  entry: Pick<AuditEntry, "actor" | "verb" | "detail">,
): IncidentChange {
  const row = { ...before, ...columnsOf(after), revision: before.revision + 1 };
  const event = newEvent(deps, row, eventType);
  const detail = { title: row.title, eventId: event.id, ...entry.detail };
  return {
    row,
    event,
    statements: [
      updateIncident(deps.db, before, columnsOf(after)),
      recordIfChanged(deps, { ...entry, subjectType: "incident", subjectId: before.id, detail }),
      insertIncidentEvent(deps.db, event),
    ],
  };
}

/** The columns that a change may touch. */
export function columnsOf(incident: Incident) {
  const { title, description, severity, status, teamId, assignedTo, escalationLevel, updatedAt, resolvedAt } = incident;
  return {
    title,
    description,
    severity,
    status,
    teamId,
    assignedTo,
    tags: { ...incident.tags },
    escalationLevel,
    updatedAt,
    resolvedAt,
  };
}

function newEvent(deps: Deps, row: IncidentRow, type: IncidentEventType): IncidentEventRow {
  return {
    id: deps.newId("event"),
    incidentId: row.id,
    type,
    snapshot: snapshotOf(row, type),
    at: row.updatedAt,
    matchedAt: null,
  };
}
