import { LOGIN_WINDOW_MS } from "../../domain/login-limit.ts";
import { deleteOldLoginFailures } from "../../store/login-failures.ts";
import { deleteExpiredSessions } from "../../store/sessions.ts";
import type { Deps } from "../deps.ts";

const AT_ONCE = 1_000;

/** Removes expired sessions, and counts of failed sign-ins whose window has ended. */
export async function removeExpiredSignIns(deps: Deps): Promise<void> {
  const now = deps.now();
  await deleteExpiredSessions(deps.db, now, AT_ONCE);
  await deleteOldLoginFailures(deps.db, now - LOGIN_WINDOW_MS, AT_ONCE);
}
