import { acknowledge } from "../../domain/incident/index.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeIncident } from "./change-incident.ts";
import type { ChangedIncident } from "./change-incident.ts";

/** Safe to repeat; 409 when the incident is resolved. */
export function acknowledgeIncident(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<ChangedIncident> {
  return changeIncident(deps, id, acknowledge, { actor, verb: "acknowledge" }, expected);
}
