import { deleteApiToken, findApiToken } from "../../store/api-tokens.ts";
import type { ApiTokenRow } from "../../store/api-tokens.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import type { Principal } from "../principal.ts";

/** Deletes a token, which is refused from the next request on. 404 for one that the caller may not delete. */
export async function deleteToken(deps: Deps, by: Principal, id: string): Promise<{ id: string }> {
  const row = await findApiToken(deps.db, id);
  if (row === null || !mayDelete(by, row)) throw notFound("token", id);
  try {
    await writeBatch(deps.db, [
      deleteApiToken(deps.db, id),
      recordIfChanged(deps, {
        actor: by.actor,
        verb: "delete",
        subjectType: "token",
        subjectId: id,
        detail: { name: row.name, userId: row.userId },
      }),
    ]);
  } catch (error) {
    throw isConflict(error) ? notFound("token", id) : error;
  }
  return { id };
}

function mayDelete(by: Principal, row: ApiTokenRow): boolean {
  if (by.permissions.has("admin")) return true;
  if (by.kind === "token") return by.credentialId === row.id;
  return by.userId !== null && by.userId === row.userId;
}
