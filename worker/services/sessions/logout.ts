import { writeBatch } from "../../store/database.ts";
import { deleteSession } from "../../store/sessions.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";

/** Deletes the caller's session, so that a copy of its cookie is useless. */
export async function logout(deps: Deps, by: Principal): Promise<{ signedOut: true }> {
  if (by.kind !== "session" || by.credentialId === undefined) {
    throw new ProblemError("conflict", "A bearer token has no session to end. Delete the token where it was made.");
  }
  await writeBatch(deps.db, [
    deleteSession(deps.db, by.credentialId),
    record(deps, { actor: by.actor, verb: "logout", subjectType: "user", subjectId: by.userId ?? "unknown" }),
  ]);
  return { signedOut: true };
}
