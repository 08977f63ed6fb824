import { listIncidents as operation } from "../../../schema/contract/api/incidents.ts";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import { listIncidents } from "../../store/incidents.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { toIncidentView } from "./view.ts";

/** Incidents, newest first, by status, severity, service, source and creation; `from` and `to` are inclusive. */
export async function listIncidentViews(deps: Deps, query: unknown): Promise<Page<IncidentView>> {
  const { status, severity, service, source, from, to, limit, beforeId } = parsePage("incident", operation, query);
  const rows = await listIncidents(
    deps.db,
    {
      status,
      severity,
      service,
      source,
      createdFrom: from === undefined ? undefined : Date.parse(from),
      createdTo: to === undefined ? undefined : Date.parse(to),
    },
    { beforeId, limit: limit + 1 },
  );
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(toIncidentView), nextCursor };
}
