import { reassignIncidentSchema } from "../../../schema/contract/incident.ts";
import { reassign } from "../../domain/incident.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { assigneeDetail } from "./assignee-detail.ts";
import { changeIncident } from "./change-incident.ts";
import type { ChangedIncident } from "./change-incident.ts";

/** To another team or person. To the same ones it is a no-op; 409 when the incident is resolved. */
export function reassignIncident(deps: Deps, actor: string, id: string, input: unknown): Promise<ChangedIncident> {
  const to = parseInput(reassignIncidentSchema, input);
  return changeIncident(deps, id, (incident, now) => reassign(incident, to, now), {
    actor,
    verb: "reassign",
    detail: assigneeDetail(to),
  });
}
