import { resolve } from "../../domain/incident/index.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeIncident } from "./change-incident.ts";
import type { ChangedIncident } from "./change-incident.ts";

/** Safe to repeat. */
export function resolveIncident(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<ChangedIncident> {
  return changeIncident(deps, id, resolve, { actor, verb: "resolve" }, expected);
}
