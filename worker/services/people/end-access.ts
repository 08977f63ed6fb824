import { countApiTokensOfUser, deleteApiTokensOfUser } from "../../store/api-tokens.ts";
import type { Statement } from "../../store/database.ts";
import { deleteSessionsOfUser } from "../../store/sessions.ts";
import type { AuditEntry } from "../audit-record.ts";
import type { Deps } from "../deps.ts";

/** Access that ends with a password or a disabled account: statements for the batch, and the audit log's detail. */
export interface EndedAccess {
  statements: Statement[];
  detail: NonNullable<AuditEntry["detail"]>;
}

/** Ends the user's sessions except `keptSession`, and their API tokens unless `keepTokens`. */
export async function endAccess(
  deps: Deps,
  userId: string,
  { keptSession, keepTokens = false }: { keptSession: string | null; keepTokens: boolean | undefined },
): Promise<EndedAccess> {
  const tokens = await countApiTokensOfUser(deps.db, userId);
  const sessions = deleteSessionsOfUser(deps.db, userId, keptSession);
  return keepTokens
    ? { statements: [sessions], detail: { tokensKept: tokens } }
    : { statements: [sessions, deleteApiTokensOfUser(deps.db, userId)], detail: { tokensEnded: tokens } };
}
