import type { DeliveryResult } from "../../../schema/contract/integration.ts";
import { planSignal } from "../../domain/incident/signal.ts";
import type { Signal } from "../../domain/incident/signal.ts";
import type { Statement } from "../../store/database.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import { FAIL_UNLESS_CHANGED, updateIncident } from "../../store/incidents.ts";
import { insertDelivery, touchDelivery } from "../../store/integrations.ts";
import type { IntegrationRow } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";
import { scopedKey, changeStatements, columnsOf, openIncident } from "../incidents/index.ts";
import { messageKey, NO_INCIDENT, occurrenceKey } from "./look-up.ts";
import type { Knowledge, Seen } from "./look-up.ts";

/** A note expires some time after its last use; a precision of one day is enough. */
const TOUCH_AFTER_MS = 24 * 60 * 60_000;

/** The consequences of a signal, not written yet. */
export interface SignalDraft extends Pick<DeliveryResult, "outcome" | "incidentId" | "detail"> {
  /** The statements fail as a conflict when the incident has changed since it was read. */
  statements: Statement[];
  /** The event to match with workflows after the write. */
  event: IncidentEventRow | null;
}

/** The change, its event, its audit entry and the note of the delivery, for one batch. `known` learns the new rows. */
export function draftSignal(deps: Deps, integration: IntegrationRow, signal: Signal, known: Knowledge): SignalDraft {
  const seen = known.of(signal);
  const plan = planSignal(signal, seen, deps.now());
  const actor = `integration:${integration.id}`;
  const detail = { integration: integration.name };
  const notes = (incidentId: string | null) => noteSignal(deps, integration.id, { signal, seen, incidentId, known });
  switch (plan.type) {
    case "create": {
      const key = scopedKey(integration.id, signal.dedupKey);
      const incident = { ...plan.incident, source: plan.incident.source ?? integration.name };
      const { row, event, statements } = openIncident(deps, actor, incident, key, detail);
      known.learn(row);
      return { outcome: "created", incidentId: row.id, event, statements: [...statements, ...notes(row.id)] };
    }
    case "transition": {
      const { before, after, verb } = plan;
      const { row, event, statements } = changeStatements(deps, before, after, plan.event, { actor, verb, detail });
      known.learn(row);
      const outcome = verb === "resolve" ? "resolved" : "acknowledged";
      return { outcome, incidentId: row.id, event, statements: [...statements, ...notes(row.id)] };
    }
    case "update": {
      const { before, after } = plan;
      const columns = columnsOf(after);
      known.learn({ ...before, ...columns, revision: before.revision + 1 });
      const statements = [updateIncident(deps.db, before, columns), FAIL_UNLESS_CHANGED, ...notes(before.id)];
      return { outcome: "updated", incidentId: before.id, event: null, statements };
    }
    case "nothing": {
      const incidentId = plan.incident?.id ?? null;
      const said = plan.detail === null ? {} : { detail: plan.detail };
      return { outcome: plan.outcome, incidentId, event: null, statements: notes(incidentId), ...said };
    }
  }
}

/** The notes by which a repeated signal is recognised. */
function noteSignal(
  deps: Deps,
  integrationId: string,
  { signal, seen, incidentId, known }: { signal: Signal; seen: Seen; incidentId: string | null; known: Knowledge },
): Statement[] {
  const at = deps.now();
  const note = (deliveryKey: string, incidentId: string) => {
    const row = { integrationId, deliveryKey, incidentId, at };
    known.learnNote(row);
    return insertDelivery(deps.db, row);
  };
  const statements: Statement[] = [];
  const occurrence = occurrenceKey(signal);
  // An end without a beginning is noted: the beginning may arrive late, and nothing would end it again.
  const isNoted = incidentId !== null || signal.action === "resolve";
  if (seen.occurrence !== null) {
    if (at - seen.occurrence.at > TOUCH_AFTER_MS) statements.push(touchDelivery(deps.db, seen.occurrence, at));
  } else if (occurrence !== null && isNoted) statements.push(note(occurrence, incidentId ?? NO_INCIDENT));
  const message = messageKey(signal);
  if (message !== null && !seen.isRepeated) statements.push(note(message, incidentId ?? NO_INCIDENT));
  return statements;
}
