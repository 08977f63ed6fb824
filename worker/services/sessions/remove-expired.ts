import { LOGIN_WINDOW_MS } from "../../domain/login-limit.ts";
import { deleteOldLoginFailures } from "../../store/login-failures.ts";
import { deleteExpiredSessions } from "../../store/sessions.ts";
import type { Deps } from "../deps.ts";

const AT_ONCE = 1_000;

/** Removes sessions that have ended and counts whose window has; neither means anything any more. */
export async function removeExpiredSignIns(deps: Deps): Promise<void> {
  const now = deps.now();
  await deleteExpiredSessions(deps.db, now, AT_ONCE);
  await deleteOldLoginFailures(deps.db, now - LOGIN_WINDOW_MS, AT_ONCE);
}
