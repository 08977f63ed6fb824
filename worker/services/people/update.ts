import type { z } from "zod";
import { updateUserSchema } from "../../../schema/contract/people.ts";
import type { UserView } from "../../../schema/contract/people.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { findUser, updateUserKeepingAdmin } from "../../store/users.ts";
import type { UserChanges, UserRow } from "../../store/users.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { AuditEntry } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { canSignInByOidc, signInWays } from "../oidc-settings.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { endAccess } from "./end-access.ts";
import type { EndedAccess } from "./end-access.ts";
import { lastAdmin } from "./last-admin.ts";
import { hashPassword } from "./password.ts";
import type { Principal } from "../principal.ts";
import { viewUser } from "./view.ts";

type Body = z.infer<typeof updateUserSchema>;

/** Changes the fields that the body names. Sessions and tokens read role and `enabled` at every request. */
export async function updateUser(deps: Deps, by: Principal, id: string, input: unknown): Promise<UserView> {
  const body = parseInput(updateUserSchema, input);
  if (body.password === null && !canSignInByOidc(deps.settings)) {
    throw invalidInput([
      { path: "password", message: "cannot be taken away: no OIDC sign-in is set up here, so it is the only way in" },
    ]);
  }
  const row = await findUser(deps.db, id);
  if (row === null) throw notFound("user", id);
  if (body.enabled === false && by.userId === id) {
    throw new ProblemError("conflict", "You cannot disable yourself. Ask another administrator.");
  }
  const changes = await changesOf(body, row);
  if (Object.keys(changes).length === 0) return viewUser(row);
  const endsAccess = changes.enabled === false || changes.passwordHash !== undefined;
  const ended: EndedAccess = endsAccess
    ? await endAccess(deps, id, { keptSession: keptSession(by, id, changes), keepTokens: body.keepTokens })
    : { statements: [], detail: {} };
  try {
    await writeBatch(deps.db, [
      updateUserKeepingAdmin(deps.db, id, changes, signInWays(deps.settings)),
      recordIfChanged(deps, auditOf(by.actor, row, changes, ended)),
      ...ended.statements,
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw (await findUser(deps.db, id)) === null ? notFound("user", id) : lastAdmin(error);
  }
  const next = await findUser(deps.db, id);
  if (next === null) throw notFound("user", id);
  return viewUser(next);
}

async function changesOf(body: Body, row: UserRow): Promise<UserChanges> {
  const changes: UserChanges = {};
  if (body.name !== undefined && body.name !== row.name) changes.name = body.name;
  if (body.role !== undefined && body.role !== row.role) changes.role = body.role;
  // Also for a disabled user: it ends the tokens that an earlier call kept.
  if (body.enabled === false || (body.enabled === true && !row.enabled)) changes.enabled = body.enabled;
  if (body.password === null && row.passwordHash !== null) changes.passwordHash = null;
  if (typeof body.password === "string") changes.passwordHash = await hashPassword(body.password);
  return changes;
}

/** People who change their own password keep the current session. */
function keptSession(by: Principal, id: string, changes: UserChanges): string | null {
  const own = by.kind === "session" && by.userId === id && changes.enabled !== false;
  return own ? (by.credentialId ?? null) : null;
}

function auditOf(actor: string, row: UserRow, { passwordHash, ...shown }: UserChanges, ended: EndedAccess): AuditEntry {
  const only = passwordHash === undefined && shown.name === undefined && shown.role === undefined;
  const toggled = shown.enabled === true ? "enable" : "disable";
  return {
    actor,
    verb: only && shown.enabled !== undefined ? toggled : "update",
    subjectType: "user",
    subjectId: row.id,
    detail: {
      email: row.email,
      ...(shown.name === undefined ? {} : { name: shown.name }),
      ...(shown.role === undefined ? {} : { role: shown.role, roleBefore: row.role }),
      ...(shown.enabled === undefined ? {} : { enabled: shown.enabled }),
      ...(passwordHash === undefined ? {} : { password: passwordHash === null ? "removed" : "changed" }),
      ...ended.detail,
    },
  };
}
