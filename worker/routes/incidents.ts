import type { Context } from "hono";
import * as api from "../../schema/contract/api/incidents.ts";
import { afterwards } from "../http/afterwards.ts";
import type { AppEnv } from "../http/app-types.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { acknowledgeIncident } from "../services/incidents/acknowledge.ts";
import type { ChangedIncident } from "../services/incidents/change-incident.ts";
import { createIncident } from "../services/incidents/create.ts";
import { escalateIncident } from "../services/incidents/escalate.ts";
import { getIncident } from "../services/incidents/get.ts";
import { listIncidentViews } from "../services/incidents/list.ts";
import { matchEvents } from "../services/incidents/match-events.ts";
import { reassignIncident } from "../services/incidents/reassign.ts";
import { resolveIncident } from "../services/incidents/resolve.ts";

export const incidentEndpoints: readonly Endpoint[] = [
  endpoint(api.listIncidents, async (c) => answerPage(c, await listIncidentViews(c.var.deps, c.req.query()))),
  endpoint(api.createIncident, async (c) => {
    const made = await createIncident(c.var.deps, c.var.principal.actor, await readBody(c));
    afterwards(c, matchEvents(c.var.deps, made.events));
    return made.created ? created(c, made.incident) : answer(c, made.incident);
  }),
  endpoint(api.getIncident, async (c) => answerTagged(c, await getIncident(c.var.deps, pathParam(c)))),
  endpoint(api.acknowledgeIncident, async (c) =>
    changed(c, await acknowledgeIncident(c.var.deps, c.var.principal.actor, pathParam(c), expectedRevisions(c))),
  ),
  endpoint(api.resolveIncident, async (c) =>
    changed(c, await resolveIncident(c.var.deps, c.var.principal.actor, pathParam(c), expectedRevisions(c))),
  ),
  endpoint(api.escalateIncident, async (c) =>
    changed(
      c,
      await escalateIncident(c.var.deps, c.var.principal.actor, pathParam(c), await readBody(c), expectedRevisions(c)),
    ),
  ),
  endpoint(api.reassignIncident, async (c) =>
    changed(
      c,
      await reassignIncident(c.var.deps, c.var.principal.actor, pathParam(c), await readBody(c), expectedRevisions(c)),
    ),
  ),
];

/** The answer does not wait for the workflows that the change starts. */
function changed(context: Context<AppEnv>, { incident, events }: ChangedIncident): Promise<Response> {
  afterwards(context, matchEvents(context.var.deps, events));
  return answerTagged(context, incident);
}
