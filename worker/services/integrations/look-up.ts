import { hash } from "node:crypto";
import type { Signal } from "../../domain/incident/signal.ts";
import { findIncidents, findOpenIncidents } from "../../store/incidents.ts";
import type { IncidentRow } from "../../store/incidents.ts";
import { findDeliveries } from "../../store/integrations.ts";
import type { IntegrationDeliveryRow } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";
import { scopedKey } from "../incidents/index.ts";

/** The rows known about a signal, by which `planSignal` decides. */
export interface Seen {
  isRepeated: boolean;
  ofOccurrence: IncidentRow | null;
  isOver: boolean;
  open: IncidentRow | null;
  /** The note of its occurrence; null for a new occurrence. */
  occurrence: IntegrationDeliveryRow | null;
}

/** The rows known about signals of one batch: a decision for one signal is known to the later ones. */
export interface Knowledge {
  of(signal: Signal): Seen;
  learn(incident: IncidentRow): void;
  learnNote(note: IntegrationDeliveryRow): void;
}

/** Looks up signals of one integration together, in three queries at most. */
export async function lookUp(deps: Deps, integrationId: string, signals: readonly Signal[]): Promise<Knowledge> {
  const noteKeys = signals
    .flatMap((signal) => [occurrenceKey(signal), messageKey(signal)])
    .filter((key) => key !== null);
  const openKeys = signals.map((signal) => scopedKey(integrationId, signal.dedupKey));
  const [notes, open] = await Promise.all([
    noteKeys.length === 0 ? [] : findDeliveries(deps.db, integrationId, noteKeys),
    findOpenIncidents(deps.db, openKeys),
  ]);
  const noted = notes.map(({ incidentId }) => incidentId).filter((id) => id !== NO_INCIDENT);
  const incidents = noted.length === 0 ? [] : await findIncidents(deps.db, noted);
  return knowledge(integrationId, { notes, incidents, open });
}

function knowledge(
  integrationId: string,
  found: { notes: IntegrationDeliveryRow[]; incidents: IncidentRow[]; open: IncidentRow[] },
): Knowledge {
  const noteByKey = new Map(found.notes.map((note) => [note.deliveryKey, note]));
  const byId = new Map(found.incidents.map((row) => [row.id, row]));
  const openByKey = new Map(found.open.map((row) => [row.dedupKey, row]));
  return {
    of: (signal) => {
      const occurrence = noteByKey.get(occurrenceKey(signal) ?? "") ?? null;
      return {
        isRepeated: noteByKey.has(messageKey(signal) ?? ""),
        ofOccurrence: occurrence === null ? null : (byId.get(occurrence.incidentId) ?? null),
        isOver: occurrence !== null && !byId.has(occurrence.incidentId),
        open: openByKey.get(scopedKey(integrationId, signal.dedupKey)) ?? null,
        occurrence,
      };
    },
    learn: (row) => {
      byId.set(row.id, row);
      if (row.status !== "resolved") openByKey.set(row.dedupKey, row);
      else if (openByKey.get(row.dedupKey)?.id === row.id) openByKey.delete(row.dedupKey);
    },
    learnNote: (note) => noteByKey.set(note.deliveryKey, note),
  };
}

/** In place of an incident, for a message that changed none and for an occurrence that ended before it began. */
export const NO_INCIDENT = "";

/** The key under which an occurrence is noted. Keys have a fixed length, and those of messages differ. */
export function occurrenceKey({ occurrence }: Signal): string | null {
  return occurrence === null ? null : digest("occurrence", occurrence);
}

export function messageKey({ messageId }: Signal): string | null {
  return messageId === null ? null : digest("message", messageId);
}

function digest(kind: string, text: string): string {
  return hash("sha256", `${kind}\n${text}`, "base64url");
}
