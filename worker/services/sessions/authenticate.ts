import { rolePermissions } from "../../domain/token-permissions.ts";
import { findSession } from "../../store/sessions.ts";
import type { Deps } from "../deps.ts";
import { userActor } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { openSessionCookie } from "./session-id.ts";

/** The holder of a session, read every time; null for a forged or ended session, or a disabled or deleted user. */
export async function authenticateSession(deps: Deps, cookie: string): Promise<Principal | null> {
  const opened = openSessionCookie(deps.settings.secret, cookie);
  const found = opened === null ? null : await findSession(deps.db, opened.idDigest);
  if (found === null || found.session.expiresAt <= deps.now() || !found.user.enabled) return null;
  const { session, user } = found;
  return {
    kind: "session",
    userId: user.id,
    actor: userActor(user.email),
    role: user.role,
    permissions: rolePermissions(user.role),
    credentialId: session.idDigest,
    expiresAt: session.expiresAt,
  };
}
