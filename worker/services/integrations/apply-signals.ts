import type { DeliveryResult } from "../../../schema/contract/integration.ts";
import { INTEGRATION_DELIVERY_MAX_CHANGES } from "../../../schema/limits.ts";
import type { Signal } from "../../domain/incident/signal.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import type { IntegrationRow } from "../../store/integrations.ts";
import { ALERT_TOTALS, addTotals } from "../../store/totals.ts";
import type { TotalName } from "../../store/totals.ts";
import type { Deps } from "../deps.ts";
import { ProblemError } from "../problem.ts";
import { draftSignal } from "./draft-signal.ts";
import type { SignalDraft } from "./draft-signal.ts";
import { lookUp } from "./look-up.ts";

/** Signals per read and write: the platform limits a Worker's database requests. */
const TOGETHER = 50;
/** A write has each incident twice, with its event. */
const TOGETHER_MAX_CHARS = 500_000;
const MAX_BATCHES = 100;
const MAX_ATTEMPTS = 10;

/** A signal and its place in the delivery. */
export interface PlacedSignal {
  index: number;
  signal: Signal;
}

/**
 * Applies the signals of a delivery in order, many in one batch. A batch fails whole when another writer was first with
 * one of its signals: the batch is then halved until the contested signal is alone. `emit` gets every committed event,
 * also when a later signal fails: the source then sends the delivery again, and finished signals stay finished. A
 * delivery with more changes than one request may make is taken in the same way.
 */
export async function applySignals(
  deps: Deps,
  integration: IntegrationRow,
  signals: readonly PlacedSignal[],
  emit: (event: IncidentEventRow) => void,
): Promise<DeliveryResult[]> {
  const results: DeliveryResult[] = [];
  const done = { changes: 0, batches: 0 };
  let size = TOGETHER;
  let attempts = 0;
  while (results.length < signals.length) {
    if (done.changes >= INTEGRATION_DELIVERY_MAX_CHANGES || done.batches >= MAX_BATCHES) throw tooMany(done.changes);
    const drafts = await draftTogether(deps, integration, signals.slice(results.length, results.length + size));
    if (!(await write(deps, drafts))) {
      attempts = drafts.length === 1 ? attempts + 1 : 0;
      if (attempts === MAX_ATTEMPTS) throw contended();
      size = Math.ceil(drafts.length / 2);
      continue;
    }
    const changes = drafts.filter(({ statements }) => statements.length > 0).length;
    done.changes += changes;
    done.batches += changes === 0 ? 0 : 1;
    size = TOGETHER;
    attempts = 0;
    for (const { event, statements: _written, ...result } of drafts) {
      if (event !== null) emit(event);
      results.push(result);
    }
  }
  return results;
}

type PlacedDraft = SignalDraft & { index: number };

/**
 * The first of these signals that can be written as one batch. An incident's second event waits for the next batch:
 * events are shown and matched in the order of their ids, which rise with time, and a batch has one time.
 */
async function draftTogether(
  deps: Deps,
  integration: IntegrationRow,
  signals: readonly PlacedSignal[],
): Promise<PlacedDraft[]> {
  const known = await lookUp(
    deps,
    integration.id,
    signals.map(({ signal }) => signal),
  );
  const drafts: PlacedDraft[] = [];
  const changed = new Set<string>();
  let chars = 0;
  for (const { index, signal } of signals) {
    chars += JSON.stringify(signal).length;
    if (drafts.length > 0 && chars > TOGETHER_MAX_CHARS) break;
    const draft = draftSignal(deps, integration, signal, known);
    if (draft.event !== null) {
      if (changed.has(draft.event.incidentId)) break;
      changed.add(draft.event.incidentId);
    }
    drafts.push({ index, ...draft });
  }
  return drafts;
}

/** False when another writer was first with one of them. */
async function write(deps: Deps, drafts: readonly SignalDraft[]): Promise<boolean> {
  const statements = drafts.flatMap((draft) => draft.statements);
  if (statements.length === 0) return true;
  try {
    await writeBatch(deps.db, [...statements, ...addTotals(drafts.flatMap(countOf))]);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

function countOf({ outcome }: SignalDraft): [TotalName, number][] {
  const name = ALERT_TOTALS.find((counted) => counted === outcome);
  return name === undefined ? [] : [[`alerts:${name}`, 1]];
}

function contended(): ProblemError {
  return new ProblemError(
    "unavailable",
    "This incident is being changed by others at the same moment. Send it again.",
    {
      headers: { "Retry-After": "1" },
    },
  );
}

function tooMany(changes: number): ProblemError {
  return new ProblemError(
    "unavailable",
    `This delivery makes more changes than one request may. ${changes} were made. Send it again to continue, or send ` +
      "fewer events in one delivery.",
    { headers: { "Retry-After": "1" } },
  );
}
