import type { SessionView } from "../../../schema/contract/people.ts";
import { rolePermissions } from "../../domain/token-permissions.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { insertSession } from "../../store/sessions.ts";
import { noteLogin } from "../../store/users.ts";
import type { UserRow } from "../../store/users.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { userActor } from "../principal.ts";
import { viewUser } from "../people/index.ts";
import { mintSession } from "./session-id.ts";

/** Longer than a working day. There is no idle limit: it would cost a write at every request. */
export const SESSION_MS = 12 * 60 * 60_000;

export interface StartedSession {
  cookie: string;
  maxAgeSeconds: number;
  view: SessionView;
}

/**
 * Starts a session of an authenticated user, always with a new id, so that a planted id is useless. Null when the user
 * was disabled, deleted or given another password since `user` was read. `also` goes into the batch.
 */
export async function startSession(
  deps: Deps,
  user: UserRow,
  from: { method: "password" | "oidc"; address: string | null },
  also: readonly Statement[] = [],
): Promise<StartedSession | null> {
  const now = deps.now();
  const { cookie, idDigest } = mintSession(deps.settings.secret);
  const expiresAt = now + SESSION_MS;
  try {
    await writeBatch(deps.db, [
      noteLogin(deps.db, user, now),
      recordIfChanged(deps, {
        actor: userActor(user.email),
        verb: "login",
        subjectType: "user",
        subjectId: user.id,
        detail: { method: from.method, address: from.address },
      }),
      insertSession(deps.db, { idDigest, userId: user.id, createdAt: now, expiresAt }),
      ...also,
    ]);
  } catch (error) {
    if (isConflict(error)) return null;
    throw error;
  }
  const view = {
    user: viewUser({ ...user, lastLoginAt: now }),
    permissions: [...rolePermissions(user.role)],
    expiresAt: new Date(expiresAt).toISOString(),
  };
  return { cookie, maxAgeSeconds: SESSION_MS / 1_000, view };
}
