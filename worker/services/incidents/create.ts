import { createIncidentSchema } from "../../../schema/contract/incident.ts";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import { bringUpToDate } from "../../domain/incident/index.ts";
import type { NewIncident } from "../../domain/incident/signal.ts";
import { writeBatch } from "../../store/database.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import { findOpenIncidents, updateIncident } from "../../store/incidents.ts";
import type { IncidentRow } from "../../store/incidents.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { API_SCOPE, scopedKey } from "./dedup-key.ts";
import { columnsOf, openIncident } from "./statements.ts";
import { toIncidentView } from "./view.ts";

export interface CreatedIncident {
  incident: IncidentView;
  /** False when an open incident has the key: that one was updated, and no event was emitted. */
  created: boolean;
  /** The events to match with workflows. */
  events: IncidentEventRow[];
}

/** Creates an incident and emits `incident.created`. Each dedupKey has at most one open incident. */
export async function createIncident(deps: Deps, actor: string, input: unknown): Promise<CreatedIncident> {
  const { dedupKey, ...given } = parseInput(createIncidentSchema, input);
  const key = dedupKey === undefined ? null : scopedKey(API_SCOPE, dedupKey);
  const attempt = async () => {
    const [open] = key === null ? [] : await findOpenIncidents(deps.db, [key]);
    if (open !== undefined) return refresh(deps, actor, open, given);
    const { row, event, statements } = openIncident(deps, actor, withDefaults(given), key);
    await writeBatch(deps.db, statements);
    return { incident: toIncidentView(row), created: true, events: [event] };
  };
  // Without a key, a conflict can only be the incident's own id, made by a request whose answer was lost.
  return retryOnConflict("The incident with this dedupKey", attempt, { isFinal: () => key === null });
}

type Given = Omit<ReturnType<typeof createIncidentSchema.parse>, "dedupKey">;

async function refresh(deps: Deps, actor: string, open: IncidentRow, given: Given): Promise<CreatedIncident> {
  const after = bringUpToDate(open, given, deps.now());
  if (after === null) return { incident: toIncidentView(open), created: false, events: [] };
  const row = { ...open, ...columnsOf(after), revision: open.revision + 1 };
  await writeBatch(deps.db, [
    updateIncident(deps.db, open, columnsOf(after)),
    recordIfChanged(deps, {
      actor,
      verb: "update",
      subjectType: "incident",
      subjectId: open.id,
      detail: { title: row.title, severity: row.severity },
    }),
  ]);
  return { incident: toIncidentView(row), created: false, events: [] };
}

function withDefaults(given: Given): NewIncident {
  return {
    title: given.title,
    description: given.description ?? null,
    severity: given.severity ?? "medium",
    service: given.service ?? null,
    source: given.source ?? null,
    host: given.host ?? null,
    teamId: given.teamId ?? null,
    assignedTo: given.assignedTo ?? null,
    tags: given.tags ?? {},
  };
}
