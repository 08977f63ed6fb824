import type { DeliveryResult } from "../../../schema/contract/integration.ts";
import { planSignal } from "../../domain/incident/signal.ts";
import type { Plan, Signal } from "../../domain/incident/signal.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import { updateIncident } from "../../store/incidents.ts";
import type { IncidentRow } from "../../store/incidents.ts";
import { insertDelivery, touchDelivery } from "../../store/integrations.ts";
import type { IntegrationRow } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";
import { scopedKey } from "../incidents/dedup-key.ts";
import { changeStatements, columnsOf, openIncident } from "../incidents/statements.ts";
import { ProblemError } from "../problem.ts";
import { lookUp, messageKey, NO_INCIDENT, occurrenceKey } from "./look-up.ts";
import type { Seen } from "./look-up.ts";

const MAX_ATTEMPTS = 10;
/** A note is kept from when it was last needed; how exactly is of no matter. */
const TOUCH_AFTER_MS = 24 * 60 * 60_000;

export interface AppliedSignal extends Pick<DeliveryResult, "outcome" | "incidentId" | "detail"> {
  /** What is to be matched with workflows. */
  event: IncidentEventRow | null;
}

/**
 * Does what a signal asks for, once: the change, its event, its audit entry and the note of the delivery are one batch,
 * which fails whole when somebody else was first; then it is looked at again. `seen` is what was read before, if
 * anything was.
 */
export async function applySignal(
  deps: Deps,
  integration: IntegrationRow,
  signal: Signal,
  seen: Seen | null,
): Promise<AppliedSignal> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const current = (attempt === 1 ? seen : null) ?? (await lookUp(deps, integration.id, [signal]))(signal);
    const plan = planSignal(signal, current, deps.now());
    try {
      const applied = await carryOut(deps, integration, { signal, seen: current, plan });
      if (applied !== null) return applied;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  throw new ProblemError("unavailable", "This incident is being changed by others at the same moment. Send it again.", {
    headers: { "Retry-After": "1" },
  });
}

/** Null, or a conflict, when somebody else was first. */
async function carryOut(
  deps: Deps,
  integration: IntegrationRow,
  { signal, seen, plan }: { signal: Signal; seen: Seen; plan: Plan<IncidentRow> },
): Promise<AppliedSignal | null> {
  const actor = `integration:${integration.id}`;
  const detail = { integration: integration.name };
  const notes = (incidentId: string | null) => notesOf(deps, integration.id, { signal, seen, incidentId });
  switch (plan.type) {
    case "create": {
      const key = scopedKey(integration.id, signal.dedupKey);
      const { row, event, statements } = openIncident(deps, actor, plan.incident, key, detail);
      await writeBatch(deps.db, [...statements, ...notes(row.id)]);
      return { outcome: "created", incidentId: row.id, event };
    }
    case "transition": {
      const { before, after, verb } = plan;
      const { event, statements } = changeStatements(deps, before, after, plan.event, { actor, verb, detail });
      await writeBatch(deps.db, [...statements, ...notes(before.id)]);
      return { outcome: verb === "resolve" ? "resolved" : "acknowledged", incidentId: before.id, event };
    }
    case "update": {
      const { before, after } = plan;
      // Apart from its note, which must not stand when the update met nothing; told again, it changes nothing.
      const [updated] = await writeBatch(deps.db, [updateIncident(deps.db, before, columnsOf(after))]);
      if (updated === undefined || updated.rowsAffected === 0) return null;
      await writeAll(deps, notes(before.id));
      return { outcome: "updated", incidentId: before.id, event: null };
    }
    case "nothing": {
      const incidentId = plan.incident?.id ?? null;
      await writeAll(deps, notes(incidentId));
      const said = plan.detail === null ? {} : { detail: plan.detail };
      return { outcome: plan.outcome, incidentId, event: null, ...said };
    }
  }
}

/** What is noted of a signal, so that it is known when it comes again. */
function notesOf(
  deps: Deps,
  integrationId: string,
  { signal, seen, incidentId }: { signal: Signal; seen: Seen; incidentId: string | null },
): Statement[] {
  const at = deps.now();
  const note = (deliveryKey: string, incidentId: string) =>
    insertDelivery(deps.db, { integrationId, deliveryKey, incidentId, at });
  const statements: Statement[] = [];
  const occurrence = occurrenceKey(signal);
  if (seen.occurrence !== null) {
    if (at - seen.occurrence.at > TOUCH_AFTER_MS) statements.push(touchDelivery(deps.db, seen.occurrence, at));
  } else if (occurrence !== null && incidentId !== null) statements.push(note(occurrence, incidentId));
  const message = messageKey(signal);
  if (message !== null && !seen.isRepeated) statements.push(note(message, incidentId ?? NO_INCIDENT));
  return statements;
}

async function writeAll(deps: Deps, statements: readonly Statement[]): Promise<void> {
  if (statements.length > 0) await writeBatch(deps.db, statements);
}
