import type { z } from "zod";
import { createTokenSchema } from "../../../schema/contract/people.ts";
import type { TokenView } from "../../../schema/contract/people.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { insertApiToken } from "../../store/api-tokens.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { confirmSignedIn } from "../../store/users.ts";
import { record, recordIfChanged } from "../audit-record.ts";
import type { AuditEntry } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { mintApiToken } from "../keys.ts";
import { invalidInput, parseInput } from "../parse.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { secretDigest } from "../secret-digest.ts";
import { viewToken } from "./view.ts";

/** A stolen JWT is valid for minutes, so a token made with it must expire, too. */
const BY_JWT_MAX_MS = 90 * 24 * 60 * 60_000;

/**
 * Makes an API token for the caller. `secret` is shown only now; the database has its digest. A token cannot make
 * another one, so that deleting a leaked token is enough.
 */
export async function createToken(
  deps: Deps,
  by: Principal,
  input: unknown,
): Promise<{ token: TokenView; secret: string }> {
  const body = parseInput(createTokenSchema, input);
  if (by.kind === "token") {
    throw new ProblemError(
      "forbidden",
      "An API token cannot create other tokens. Sign in and create the token as a person.",
    );
  }
  const now = deps.now();
  const errors = whatIsWrong(body, by, now);
  if (errors.length > 0) throw invalidInput(errors);
  const { name, expiresAt } = body;
  const permissions = [...new Set(body.permissions)];
  const secret = mintApiToken(deps.settings.secret);
  const row = {
    id: deps.newId("apiToken"),
    name,
    userId: by.userId,
    tokenDigest: secretDigest(secret),
    permissions,
    expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt),
    lastUsedAt: null,
    createdAt: now,
  };
  const entry: AuditEntry = {
    actor: by.actor,
    verb: "create",
    subjectType: "token",
    subjectId: row.id,
    detail: { name, permissions, expiresAt: expiresAt ?? null },
  };
  try {
    await writeBatch(deps.db, [...recordMaker(deps, by, entry), insertApiToken(deps.db, row)]);
  } catch (error) {
    if (!isConflict(error)) throw error;
    throw new ProblemError("unauthorized", "Your session has ended. Sign in again.", { cause: error });
  }
  return { token: viewToken(row), secret };
}

/** The user's tokens have ended if the password changed since the request's check: then make no new one. */
function recordMaker(deps: Deps, by: Principal, entry: AuditEntry): Statement[] {
  if (by.userId === null) return [record(deps, entry)];
  const session = by.kind === "session" ? (by.credentialId ?? null) : null;
  return [confirmSignedIn(deps.db, by.userId, session), recordIfChanged(deps, entry)];
}

function whatIsWrong(body: z.infer<typeof createTokenSchema>, by: Principal, now: number): FieldError[] {
  const errors: FieldError[] = body.permissions.flatMap((permission, index) =>
    by.permissions.has(permission)
      ? []
      : [{ path: `permissions.${index}`, message: `is ${permission}, which you do not have yourself` }],
  );
  if (body.expiresAt !== undefined && Date.parse(body.expiresAt) <= now) {
    errors.push({ path: "expiresAt", message: "must be in the future" });
  }
  if (by.kind === "oidc" && !(Date.parse(body.expiresAt ?? "") <= now + BY_JWT_MAX_MS)) {
    const message =
      "must be within 90 days, because the caller has a token of the issuer. Sign in to create one that lasts longer";
    errors.push({ path: "expiresAt", message });
  }
  return errors;
}
