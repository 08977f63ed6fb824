import type { IncidentDetail } from "../../../schema/contract/incident.ts";
import { findEarliestAudit } from "../../store/audit.ts";
import { findExecutionsOfEvents, findIncidentEvents } from "../../store/incident-events.ts";
import { findIncident } from "../../store/incidents.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { toEventView, toIncidentView } from "./view.ts";

const EVENTS_MAX = 500;
/** Updates of a flapping alert have entries without events between those of the events. */
const AUDIT_MAX = 2 * EVENTS_MAX;

/** An incident with its first events, who made them, and the executions that they started. */
export async function getIncident(deps: Deps, id: string): Promise<IncidentDetail> {
  const [row, events, audit] = await Promise.all([
    findIncident(deps.db, id),
    findIncidentEvents(deps.db, id, EVENTS_MAX),
    findEarliestAudit(deps.db, "incident", id, AUDIT_MAX),
  ]);
  if (row === null) throw notFound("incident", id);
  const executions = await findExecutionsOfEvents(deps.db, events);
  return { ...toIncidentView(row), events: events.map((event) => toEventView(event, { executions, audit })) };
}
