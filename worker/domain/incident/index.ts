import type { IncidentStatus, Severity } from "../../../schema/contract/incident.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { IncidentEventType } from "../../../schema/contract/workflow.ts";

/** An incident as it is stored. Times are epoch milliseconds. */
export interface Incident {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly severity: Severity;
  readonly status: IncidentStatus;
  readonly service: string | null;
  readonly source: string | null;
  readonly host: string | null;
  readonly teamId: string | null;
  readonly assignedTo: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** Scoped by source: see `services/incidents/dedup-key.ts`. */
  readonly dedupKey: string | null;
  readonly escalationLevel: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly resolvedAt: number | null;
}

/** The team and person responsible for an incident. An absent field does not change; null removes it. */
export interface Assignee {
  readonly teamId?: string | null | undefined;
  readonly assignedTo?: string | null | undefined;
}

/** A source's report about an open incident; absent fields do not change. */
export type Report = Partial<Pick<Incident, "title" | "description" | "severity" | "tags">>;

export type Transition =
  | { readonly type: "changed"; readonly incident: Incident; readonly event: IncidentEventType }
  /** The incident is already in this state: nothing is written, and no event is emitted. */
  | { readonly type: "unchanged" }
  /** The incident's status does not allow it; `advice` says what to do instead. */
  | { readonly type: "refused"; readonly advice: string };

const UNCHANGED: Transition = { type: "unchanged" };

/** triggered → acknowledged. */
export function acknowledge(incident: Incident, now: number): Transition {
  switch (incident.status) {
    case "triggered":
      return changed({ ...incident, status: "acknowledged", updatedAt: now }, "incident.acknowledged");
    case "acknowledged":
      return UNCHANGED;
    case "resolved":
      return refused("There is nothing left to acknowledge.");
  }
}

/** triggered or acknowledged → resolved, which is the end. */
export function resolve(incident: Incident, now: number): Transition {
  if (incident.status === "resolved") return UNCHANGED;
  return changed({ ...incident, status: "resolved", updatedAt: now, resolvedAt: now }, "incident.resolved");
}

/** Raises the escalation level by one; every call adds a level. It may also change the assignee. */
export function escalate(incident: Incident, to: Assignee, now: number): Transition {
  if (incident.status === "resolved") return refused("There is nothing left to escalate.");
  const escalationLevel = incident.escalationLevel + 1;
  return changed({ ...assigned(incident, to), escalationLevel, updatedAt: now }, "incident.escalated");
}

/** Assigns another team, another person, or both. */
export function reassign(incident: Incident, to: Assignee, now: number): Transition {
  if (incident.status === "resolved") return refused("There is nothing left to reassign.");
  const next = assigned(incident, to);
  if (next.teamId === incident.teamId && next.assignedTo === incident.assignedTo) return UNCHANGED;
  return changed({ ...next, updatedAt: now }, "incident.reassigned");
}

/**
 * An open incident after another report of it: title, description, severity and tags become those of the report. Its
 * place and its assignee do not change, and no event is emitted. Null when the report changes nothing.
 */
export function bringUpToDate(incident: Incident, report: Report, now: number): Incident | null {
  const next: Incident = {
    ...incident,
    title: report.title ?? incident.title,
    description: report.description === undefined ? incident.description : report.description,
    severity: report.severity ?? incident.severity,
    tags: report.tags ?? incident.tags,
    updatedAt: now,
  };
  const isSame =
    next.title === incident.title &&
    next.description === incident.description &&
    next.severity === incident.severity &&
    haveSameTags(next.tags, incident.tags);
  return isSame ? null : next;
}

/**
 * The snapshot of an incident at an event, for conditions and templates: docs/design/templates.md#names, and `source`,
 * which conditions may name.
 */
export function snapshotOf(incident: Incident, eventType: IncidentEventType): JsonObject {
  return {
    id: incident.id,
    title: incident.title,
    description: incident.description,
    severity: incident.severity,
    status: incident.status,
    service: incident.service,
    source: incident.source,
    host: incident.host,
    teamId: incident.teamId,
    assignedTo: incident.assignedTo,
    createdAt: new Date(incident.createdAt).toISOString(),
    tags: { ...incident.tags },
    eventType,
  };
}

function assigned(incident: Incident, { teamId, assignedTo }: Assignee): Incident {
  return {
    ...incident,
    teamId: teamId === undefined ? incident.teamId : teamId,
    assignedTo: assignedTo === undefined ? incident.assignedTo : assignedTo,
  };
}

function haveSameTags(a: Incident["tags"], b: Incident["tags"]): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}

function changed(incident: Incident, event: IncidentEventType): Transition {
  return { type: "changed", incident, event };
}

function refused(nothingLeft: string): Transition {
  return {
    type: "refused",
    advice: `This incident is resolved. ${nothingLeft} Create a new incident if the problem is back.`,
  };
}
