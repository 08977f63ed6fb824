import { escalateIncidentSchema } from "../../../schema/contract/incident.ts";
import { escalate } from "../../domain/incident/index.ts";
import type { Incident } from "../../domain/incident/index.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { assigneeDetail } from "./assignee-detail.ts";
import { changeIncident } from "./change-incident.ts";
import type { ChangedIncident } from "./change-incident.ts";

/** Raises the escalation level by one, and may change the assignee. Not idempotent; 409 for a resolved incident. */
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
