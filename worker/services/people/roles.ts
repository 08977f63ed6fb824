import type { Role } from "../../../schema/contract/people.ts";
import { findUsers } from "../../store/users.ts";
import type { Deps } from "../deps.ts";
import { BOOTSTRAP_PERSON } from "../principal.ts";

/** The current roles of people (`personOf`). Disabled and deleted people are missing. */
export async function readRoles(deps: Deps, people: readonly string[]): Promise<Map<string, Role>> {
  const rows = await findUsers(deps.db, people);
  const roles = rows.flatMap(({ id, role, enabled }): [string, Role][] => (enabled ? [[id, role]] : []));
  return new Map(people.includes(BOOTSTRAP_PERSON) ? [...roles, [BOOTSTRAP_PERSON, "admin"]] : roles);
}
