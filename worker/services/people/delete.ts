import { deleteApiTokensOfUser } from "../../store/api-tokens.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { deleteSessionsOfUser } from "../../store/sessions.ts";
import { deleteUserKeepingAdmin, findUser } from "../../store/users.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { signInWays } from "../oidc-settings.ts";
import { ProblemError } from "../problem.ts";
import { lastAdmin } from "./last-admin.ts";
import type { Principal } from "../principal.ts";

/** Deletes a user with their sessions and tokens in one batch, so that the next request is refused. */
export async function deleteUser(deps: Deps, by: Principal, id: string): Promise<{ id: string }> {
  const row = await findUser(deps.db, id);
  if (row === null) throw notFound("user", id);
  if (by.userId === id) {
    throw new ProblemError("conflict", "You cannot delete yourself. Ask another administrator.");
  }
  const detail = { email: row.email, role: row.role };
  try {
    await writeBatch(deps.db, [
      deleteUserKeepingAdmin(deps.db, id, signInWays(deps.settings)),
      recordIfChanged(deps, { actor: by.actor, verb: "delete", subjectType: "user", subjectId: id, detail }),
      deleteSessionsOfUser(deps.db, id),
      deleteApiTokensOfUser(deps.db, id),
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw (await findUser(deps.db, id)) === null ? notFound("user", id) : lastAdmin(error);
  }
  return { id };
}
