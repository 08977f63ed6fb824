import type { JsonObject } from "../../../schema/contract/json.ts";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import type { Incident, Transition } from "../../domain/incident/index.ts";
import { writeBatch } from "../../store/database.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import { findIncident } from "../../store/incidents.ts";
import type { AuditEntry } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { ProblemError } from "../problem.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { changeStatements } from "./statements.ts";
import { toIncidentView } from "./view.ts";

export interface ChangedIncident {
  incident: IncidentView;
  /** The events to match with workflows; none when nothing changed. */
  events: IncidentEventRow[];
}

/**
 * Changes an incident by a conditional write, with the change's event in the same batch. `decide` is called again when
 * another writer was first: of two concurrent acknowledgements one changes the incident, and the other finds it done.
 * Only an incident of an expected revision changes.
 */
export async function changeIncident(
  deps: Deps,
  id: string,
  decide: (incident: Incident, now: number) => Transition,
  entry: Pick<AuditEntry, "actor" | "verb"> & { detail?: JsonObject },
  expected: ExpectedRevisions = null,
): Promise<ChangedIncident> {
  let seen: number | null = null;
  // True when no other writer was first: the event exists already, from an earlier try of this request (`sameIds`).
  let isRepeated = false;
  const attempt = async () => {
    const before = await findIncident(deps.db, id);
    if (before === null) throw notFound("incident", id);
    isRepeated = before.revision === seen;
    seen = before.revision;
    requireRevision(expected, before.revision);
    const transition = decide(before, deps.now());
    if (transition.type === "refused") throw new ProblemError("conflict", transition.advice);
    if (transition.type === "unchanged") return { incident: toIncidentView(before), events: [] };
    const { row, event, statements } = changeStatements(deps, before, transition.incident, transition.event, entry);
    await writeBatch(deps.db, statements);
    return { incident: toIncidentView(row), events: [event] };
  };
  return retryOnConflict<ChangedIncident>("This incident", attempt, { isFinal: () => isRepeated });
}
