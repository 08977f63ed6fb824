import { reassignIncidentSchema } from "../../../schema/contract/incident.ts";
import { reassign } from "../../domain/incident/index.ts";
import type { Incident } from "../../domain/incident/index.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { assigneeDetail } from "./assignee-detail.ts";
import { changeIncident } from "./change-incident.ts";
import type { ChangedIncident } from "./change-incident.ts";

/** Assigns another team or person. The same assignee is a no-op; 409 when the incident is resolved. */
export function reassignIncident(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions = null,
): Promise<ChangedIncident> {
  const to = parseInput(reassignIncidentSchema, input);
  const decide = (incident: Incident, now: number) => reassign(incident, to, now);
  return changeIncident(deps, id, decide, { actor, verb: "reassign", detail: assigneeDetail(to) }, expected);
}
