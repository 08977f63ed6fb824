import { isPlainText, nameSchema } from "../../../schema/contract/name.ts";
import type { Role, SignInFailure } from "../../../schema/contract/people.ts";
import { claimedRole } from "../../domain/claimed-role.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import {
  findUserByEmail,
  findUserByOidcSubject,
  insertUser,
  noteClaimedRole,
  tieOidcSubject,
  updateClaimedRole,
} from "../../store/users.ts";
import type { UserRow } from "../../store/users.ts";
import { record, recordIfChanged } from "../audit-record.ts";
import type { AuditEntry } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import type { OidcSettings } from "../oidc-settings.ts";
import { SignInRefused } from "./sign-in-refused.ts";
import type { TokenClaims } from "./verify-token.ts";

const EMAIL_MAX_CHARS = 320;
const ACTOR = "oidc";

/**
 * The user of a token: found by the issuer's account, else by a verified email (and then tied to the account), else
 * created. `saidAt` (epoch ms) is the time of the issuer's statement: an older statement changes no role. Throws
 * `forbidden` for people without a role here, and for disabled users.
 */
export async function findPerson(
  deps: Deps,
  settings: OidcSettings,
  claims: TokenClaims,
  saidAt: number,
): Promise<UserRow> {
  const oidcSubject = `${settings.issuer} ${claims.sub}`;
  return retryOnConflict("Your account", async () => {
    const user = await findUserByOidcSubject(deps.db, oidcSubject);
    if (user !== null) {
      if (!user.enabled) throw forbidden("disabled", "Your account is disabled here.");
      const role = roleOfKnown(settings, claims);
      if (role === null || role === user.role || (user.lastLoginAt ?? 0) >= saidAt) return user;
      const changed = await tryBatch(deps, [
        updateClaimedRole(deps.db, user.id, { role, saidAt }),
        recordIfChanged(deps, entry("update", user, { role, roleBefore: user.role })),
      ]);
      // The last administrator keeps the role, or no one could correct the issuer. Recorded once for each token.
      if (!changed && user.role === "admin") {
        await tryBatch(deps, [
          noteClaimedRole(deps.db, user.id, saidAt),
          recordIfChanged(deps, entry("update", user, { roleKept: user.role, roleClaimed: role })),
        ]);
      }
    } else {
      await tryBatch(deps, await welcome(deps, settings, claims, { oidcSubject, saidAt }));
    }
    return null;
  });
}

/** The role that the issuer assigns; null when administrators assign roles. */
function roleOfKnown(settings: OidcSettings, claims: TokenClaims): Role | null {
  return settings.roleClaim === null ? null : roleFor(settings, claims);
}

function roleFor(settings: OidcSettings, claims: TokenClaims): Role {
  const claimed = settings.roleClaim === null ? null : claimedRole(claims, settings.roleClaim);
  const role = claimed ?? settings.defaultRole;
  if (role === null) throw forbidden("no-role", "The issuer gives you none of the roles of this deployment.");
  return role;
}

/** The statements that tie a user with this email to the account, or create one. */
async function welcome(
  deps: Deps,
  settings: OidcSettings,
  claims: TokenClaims,
  { oidcSubject, saidAt }: { oidcSubject: string; saidAt: number },
): Promise<Statement[]> {
  const email = verifiedEmail(settings, claims);
  const user = await findUserByEmail(deps.db, email);
  if (user === null) {
    const id = deps.newId("user");
    const role = roleFor(settings, claims);
    const name = nameSchema.safeParse(claims.name?.trim().slice(0, 200)).data ?? email;
    return [
      insertUser(deps.db, { id, email, name, role, oidcSubject, createdAt: deps.now(), lastLoginAt: saidAt }),
      record(deps, entry("create", { id, email }, { role })),
    ];
  }
  if (!user.enabled) throw forbidden("disabled", "Your account is disabled here.");
  // Another request was first, between the two queries: the next attempt finds the user by the account.
  if (user.oidcSubject === oidcSubject) return [];
  if (user.oidcSubject !== null) {
    throw forbidden(
      "other-account",
      "Your email belongs to a user with another account of the issuer. An administrator can delete that user.",
    );
  }
  return [
    tieOidcSubject(deps.db, user.id, oidcSubject),
    recordIfChanged(deps, entry("update", user, { oidcAccount: "tied" })),
  ];
}

/** An unverified email may belong to someone else: it neither opens a user's account nor takes the address. */
function verifiedEmail(settings: OidcSettings, claims: TokenClaims): string {
  const email = claims.email?.trim().toLowerCase() ?? "";
  if (!/^[^\s@]+@[^\s@]+$/u.test(email) || !isPlainText(email) || email.length > EMAIL_MAX_CHARS) {
    throw forbidden("no-email", "The token has no email, so it names no user here. Request the scope email.");
  }
  const isVerified = claims.email_verified ?? settings.trustsEmail;
  if (!isVerified) throw forbidden("unverified-email", "The issuer does not say that your email is verified.");
  return email;
}

/** False for a conflict: another writer was first, and the caller reads again. */
async function tryBatch(deps: Deps, statements: readonly Statement[]): Promise<boolean> {
  if (statements.length === 0) return true;
  try {
    await writeBatch(deps.db, statements);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

function entry(
  verb: "create" | "update",
  user: Pick<UserRow, "id" | "email">,
  detail: NonNullable<AuditEntry["detail"]>,
): AuditEntry {
  return { actor: ACTOR, verb, subjectType: "user", subjectId: user.id, detail: { email: user.email, ...detail } };
}

function forbidden(reason: SignInFailure, detail: string): SignInRefused {
  return new SignInRefused("forbidden", reason, `${detail} Ask an administrator of this deployment.`);
}
