import { escalateIncidentSchema } from "../../../schema/contract/incident.ts";
import { escalate } from "../../domain/incident/index.ts";
import type { Incident } from "../../domain/incident/index.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { assigneeDetail } from "./assignee-detail.ts";
import { changeIncident } from "./change-incident.ts";
import type { ChangedIncident } from "./change-incident.ts";

/** One escalation level up, to whom it may name. Every call is a level of its own; 409 when the incident is resolved. */
export function escalateIncident(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions = null,
): Promise<ChangedIncident> {
  const { reason, ...to } = parseInput(escalateIncidentSchema, input);
  const detail = { ...assigneeDetail(to), ...(reason === undefined ? {} : { reason }) };
  const decide = (incident: Incident, now: number) => escalate(incident, to, now);
  return changeIncident(deps, id, decide, { actor, verb: "escalate", detail }, expected);
}
