import { and, eq, exists, inArray, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { agents, connections, credentials } from "../../schema/tables/index.ts";
import { NOTHING_SEALED } from "./credentials.ts";
import type { Database, Statement } from "./database.ts";
import { isRecipient } from "./recipient.ts";

/** Taken away at the agent's next sync; ciphertext that still waits goes at once (design 6). */
function withdraw(db: Database, which: SQL | undefined, now: number): Statement {
  return db
    .update(credentials)
    .set({
      ...NOTHING_SEALED,
      state: "absent",
      version: sql`${credentials.version} + 1`,
      status: "pending",
      error: null,
      updatedAt: now,
    })
    .where(and(eq(credentials.state, "present"), which));
}

/** For a connection that is being deleted. */
export function withdrawCredentials(db: Database, connectionId: string, now: number): Statement {
  return withdraw(db, eq(credentials.connectionId, connectionId), now);
}

/**
 * From the agents that a connection had before, and has no more; stands behind the statement that gives it to others. What
 * somebody put in by hand on an agent that was never one of them stays.
 */
export function withdrawFromFormer(
  db: Database,
  { id, agentId, poolId }: { id: string; agentId: string | null; poolId: string | null },
  now: number,
): Statement {
  const ofPool = db
    .select({ id: agents.id })
    .from(agents)
    .where(eq(agents.poolId, poolId ?? ""));
  const former = agentId === null ? inArray(credentials.agentId, ofPool) : eq(credentials.agentId, agentId);
  return withdraw(db, and(eq(credentials.connectionId, id), former, notOfARecipient(db)), now);
}

/** What an agent had for the pool that it has left; stands behind the statement that moves it. */
export function withdrawFromMoved(
  db: Database,
  { id, poolId }: { id: string; poolId: string | null },
  now: number,
): Statement {
  const ofPool = db
    .select({ id: connections.id })
    .from(connections)
    .where(eq(connections.poolId, poolId ?? ""));
  const former = inArray(credentials.connectionId, ofPool);
  return withdraw(db, and(eq(credentials.agentId, id), former, notOfARecipient(db)), now);
}

function notOfARecipient(db: Database): SQL | undefined {
  const holder = db
    .select({ one: sql`1` })
    .from(connections)
    .innerJoin(agents, isRecipient)
    .where(and(eq(connections.id, credentials.connectionId), eq(agents.id, credentials.agentId)));
  return sql`not ${exists(holder)}`;
}

/**
 * The agent's key is another one, or void: what was sealed to the old one goes, and what it had is gone with its vault
 * (specification, "Vault rules").
 */
export function forgetSealedTo(db: Database, agentId: string, newFingerprint: string | null, now: number): Statement {
  const error = "The agent has a new key, and what was sealed to the old one cannot be opened: deliver it again.";
  const isOther =
    newFingerprint === null
      ? undefined
      : or(isNull(credentials.fingerprint), ne(credentials.fingerprint, newFingerprint));
  return db
    .update(credentials)
    .set({ ...NOTHING_SEALED, status: "pending", error, updatedAt: now })
    .where(and(eq(credentials.agentId, agentId), eq(credentials.state, "present"), isOther));
}

/** For an agent that is deleted: nothing reaches it any more. */
export function deleteCredentialsOfAgent(db: Database, agentId: string): Statement {
  return db.delete(credentials).where(eq(credentials.agentId, agentId));
}

/** Ciphertext is kept 24 hours at the most (design 6). */
export async function expireSealed(db: Database, now: number): Promise<void> {
  const error = "The agent did not fetch it within 24 hours, so it was thrown away: deliver it again.";
  await db
    .update(credentials)
    .set({ ...NOTHING_SEALED, status: "expired", error, updatedAt: now })
    .where(lte(credentials.jweExpiresAt, now));
}
