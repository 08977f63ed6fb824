import { and, desc, eq, exists, inArray, isNotNull, isNull, lt, ne, or, sql } from "drizzle-orm";
import type { AnyColumn } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { sessions, users } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type UserRow = typeof users.$inferSelect;

/** The columns that a person or the OIDC issuer changes. */
export type UserChanges = Partial<
  Pick<UserRow, "name" | "role" | "passwordHash" | "oidcSubject" | "enabled" | "lastLoginAt">
>;

export async function findUser(db: Database, id: string): Promise<UserRow | null> {
  return (await db.select().from(users).where(eq(users.id, id)).get()) ?? null;
}

/** Those of these users that exist. */
export function findUsers(db: Database, ids: readonly string[]): Promise<UserRow[]> {
  return db
    .select()
    .from(users)
    .where(inArray(users.id, [...ids]));
}

export function findEnabledUsers(db: Database): Promise<Pick<UserRow, "id" | "email" | "role">[]> {
  const { id, email, role } = users;
  return db.select({ id, email, role }).from(users).where(eq(users.enabled, true));
}

/** `email` in lower case, as stored. */
export async function findUserByEmail(db: Database, email: string): Promise<UserRow | null> {
  return (await db.select().from(users).where(eq(users.email, email)).get()) ?? null;
}

export async function findUserByOidcSubject(db: Database, oidcSubject: string): Promise<UserRow | null> {
  return (await db.select().from(users).where(eq(users.oidcSubject, oidcSubject)).get()) ?? null;
}

/** Newest first, up to `limit`. */
export function listUsers(db: Database, page: { beforeId: string | null; limit: number }): Promise<UserRow[]> {
  const before = page.beforeId === null ? undefined : lt(users.id, page.beforeId);
  return db.select().from(users).where(before).orderBy(desc(users.id)).limit(page.limit);
}

/** The ways to sign in: with a password, and for everyone by OIDC where it is set up. */
export interface SignInWays {
  oidc: boolean;
}

export async function hasEnabledAdmin(db: Database, ways: SignInWays): Promise<boolean> {
  const row = await db.select({ id: users.id }).from(users).where(isAdminWhoSignsIn(users, ways)).limit(1).get();
  return row !== undefined;
}

/** Conflicts when the email address or the issuer's account belongs to another user. */
export function insertUser(db: Database, row: typeof users.$inferInsert): Statement {
  return db.insert(users).values(row);
}

export function updateUser(db: Database, id: string, changes: UserChanges): Statement {
  return db.update(users).set(changes).where(eq(users.id, id));
}

/**
 * A conditional update: matches no row if the deployment would be left without an enabled administrator who can sign
 * in. The caller decides whether a password may be removed.
 */
export function updateUserKeepingAdmin(db: Database, id: string, changes: UserChanges, ways: SignInWays): Statement {
  const endsAdmin = changes.enabled === false || (changes.role !== undefined && changes.role !== "admin");
  return db
    .update(users)
    .set(changes)
    .where(and(eq(users.id, id), endsAdmin ? adminRemainsWithout(db, id, ways) : undefined));
}

/** Like `updateUserKeepingAdmin`, for a deletion. */
export function deleteUserKeepingAdmin(db: Database, id: string, ways: SignInWays): Statement {
  return db.delete(users).where(and(eq(users.id, id), adminRemainsWithout(db, id, ways)));
}

/**
 * A conditional update: records a sign-in, unless the user was disabled or the password was changed during the
 * comparison, which takes time.
 */
export function noteLogin(db: Database, seen: Pick<UserRow, "id" | "passwordHash">, now: number): Statement {
  const samePassword =
    seen.passwordHash === null ? isNull(users.passwordHash) : eq(users.passwordHash, seen.passwordHash);
  return db
    .update(users)
    .set({ lastLoginAt: now })
    .where(and(eq(users.id, seen.id), eq(users.enabled, true), samePassword));
}

/**
 * A conditional update without a change: matches no row when the user is disabled or gone, or the session has ended.
 * `sessionDigest` is null for callers without a session.
 */
export function confirmSignedIn(db: Database, id: string, sessionDigest: string | null): Statement {
  const session = db
    .select({ one: sql`1` })
    .from(sessions)
    .where(eq(sessions.idDigest, sessionDigest ?? ""));
  return db
    .update(users)
    .set({ enabled: true })
    .where(and(eq(users.id, id), eq(users.enabled, true), sessionDigest === null ? undefined : exists(session)));
}

/** A conditional update: ties an account of the OIDC issuer to a user without one. */
export function tieOidcSubject(db: Database, id: string, oidcSubject: string): Statement {
  return db
    .update(users)
    .set({ oidcSubject })
    .where(and(eq(users.id, id), isNull(users.oidcSubject)));
}

/**
 * A conditional update: sets the role that the issuer claims, unless a newer claim was recorded or no administrator
 * would remain. `saidAt` in epoch ms.
 */
export function updateClaimedRole(
  db: Database,
  id: string,
  said: { role: UserRow["role"]; saidAt: number },
): Statement {
  const remains = said.role === "admin" ? undefined : adminRemainsWithout(db, id, { oidc: true });
  return db
    .update(users)
    .set({ role: said.role, lastLoginAt: said.saidAt })
    .where(and(eq(users.id, id), isNewerStatement(said.saidAt), remains));
}

/** A conditional update: records the time of a claim that leaves the role, unless a newer claim was recorded. */
export function noteClaimedRole(db: Database, id: string, saidAt: number): Statement {
  return db
    .update(users)
    .set({ lastLoginAt: saidAt })
    .where(and(eq(users.id, id), isNewerStatement(saidAt)));
}

function isNewerStatement(saidAt: number) {
  return or(isNull(users.lastLoginAt), lt(users.lastLoginAt, saidAt));
}

function adminRemainsWithout(db: Database, id: string, ways: SignInWays) {
  const others = alias(users, "others");
  const otherAdmin = db
    .select({ one: sql`1` })
    .from(others)
    .where(and(isAdminWhoSignsIn(others, ways), ne(others.id, id)));
  return or(ne(users.role, "admin"), eq(users.enabled, false), exists(otherAdmin));
}

function isAdminWhoSignsIn(table: Record<"role" | "enabled" | "passwordHash", AnyColumn>, { oidc }: SignInWays) {
  const isAdmin = and(eq(table.role, "admin"), eq(table.enabled, true));
  return oidc ? isAdmin : and(isAdmin, isNotNull(table.passwordHash));
}
