import { changePasswordSchema } from "../../../schema/contract/people.ts";
import type { UserView } from "../../../schema/contract/people.ts";
import { writeBatch } from "../../store/database.ts";
import { findUser, updateUser } from "../../store/users.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { endAccess, hashPassword, passwordMatches, viewUser } from "../people/index.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { checkKnownDevice } from "./known-device.ts";
import { admitLogin, clearLoginFailures, recordLoginFailure } from "./login-limit.ts";
import type { LoginCaller } from "./login.ts";

/**
 * Changes the caller's password. It asks for the current one and counts wrong ones as at sign-in: an open session must
 * not be enough to take an account over. Ends the user's other sessions and, unless they are kept, the API tokens.
 */
export async function changePassword(
  deps: Deps,
  by: Principal,
  caller: LoginCaller,
  input: unknown,
): Promise<UserView> {
  const { currentPassword, newPassword, keepTokens } = parseInput(changePasswordSchema, input);
  const row = by.userId === null ? null : await findUser(deps.db, by.userId);
  if (row === null)
    throw new ProblemError(
      "conflict",
      "These credentials belong to no person, so there is no password to change. Sign in as a person.",
    );
  if (row.passwordHash === null) {
    throw new ProblemError("conflict", "You sign in by OIDC and have no password here. An administrator can set one.");
  }
  const attempt = await admitLogin(deps, row.email, {
    address: caller.address,
    knownDevice: checkKnownDevice(deps.settings.secret, row.email, caller.deviceCookie),
  });
  if (!(await passwordMatches(currentPassword, row.passwordHash))) {
    await recordLoginFailure(deps, row.email, caller.address, {
      actor: by.actor,
      userId: row.id,
      reason: "wrong current password",
    });
    throw invalidInput([{ path: "currentPassword", message: "is not your current password" }]);
  }
  const passwordHash = await hashPassword(newPassword);
  const keptSession = by.kind === "session" ? (by.credentialId ?? null) : null;
  const ended = await endAccess(deps, row.id, { keptSession, keepTokens });
  await writeBatch(deps.db, [
    updateUser(deps.db, row.id, { passwordHash }),
    record(deps, {
      actor: by.actor,
      verb: "update",
      subjectType: "user",
      subjectId: row.id,
      detail: { email: row.email, password: "changed", ...ended.detail },
    }),
    ...ended.statements,
    ...clearLoginFailures(deps, attempt),
  ]);
  return viewUser({ ...row, passwordHash });
}
