import { escalateIncidentSchema } from "../../../schema/contract/incident.ts";
import { escalate } from "../../domain/incident.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { assigneeDetail } from "./assignee-detail.ts";
import { changeIncident } from "./change-incident.ts";
import type { ChangedIncident } from "./change-incident.ts";

/** One escalation level up, to whom it may name. Every call is a level of its own; 409 when the incident is resolved. */
export function escalateIncident(deps: Deps, actor: string, id: string, input: unknown): Promise<ChangedIncident> {
  const { reason, ...to } = parseInput(escalateIncidentSchema, input);
  const detail = { ...assigneeDetail(to), ...(reason === undefined ? {} : { reason }) };
  return changeIncident(deps, id, (incident, now) => escalate(incident, to, now), { actor, verb: "escalate", detail });
}
