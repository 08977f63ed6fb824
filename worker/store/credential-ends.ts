import { and, eq, exists, inArray, isNull, lte, ne, or, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { agents, connections, credentials } from "../../schema/tables/index.ts";
import type { ConnectionRow } from "../../schema/tables/index.ts";
import type { AgentRow } from "./agents.ts";
import { NOTHING_SEALED } from "./credentials.ts";
import type { Database, Statement } from "./database.ts";
import { isRecipient } from "./recipient.ts";

/** The next sync removes the credential; waiting ciphertext is deleted now (docs/design/credentials.md#withdrawal). */
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

/**
 * Withdraws the credential from every agent, at a person's request or because the connection is deleted. Its jobs need
 * no credential any longer.
 */
export function withdrawCredentials(db: Database, connectionId: string, now: number): Statement[] {
  return [
    withdraw(db, eq(credentials.connectionId, connectionId), now),
    db.update(connections).set({ hadCredential: false }).where(eq(connections.id, connectionId)),
  ];
}

/**
 * Withdraws credentials from a connection's former agents. Must follow the statement that assigns the new ones. A
 * credential that a person put in by hand on any other agent stays.
 */
export function withdrawFromFormer(db: Database, former: FormerPlace, now: number): Statement[] {
  const ofPool = db
    .select({ id: agents.id })
    .from(agents)
    .where(eq(agents.poolId, former.poolId ?? ""));
  const holders =
    former.agentId === null ? inArray(credentials.agentId, ofPool) : eq(credentials.agentId, former.agentId);
  const which = and(eq(credentials.connectionId, former.id), holders, notOfARecipient(db));
  return [rememberCredential(db, which), withdraw(db, which, now)];
}

type FormerPlace = Pick<ConnectionRow, "id" | "agentId" | "poolId">;

/** Withdraws the credentials that an agent had for the pool it has left. Must follow the statement that moves it. */
export function withdrawFromMoved(db: Database, agent: FormerAgent, now: number): Statement[] {
  const which = and(heldFor(db, agent), notOfARecipient(db));
  return [rememberCredential(db, which), withdraw(db, which, now)];
}

type FormerAgent = Pick<AgentRow, "id" | "poolId">;

/** For an agent that is deleted: no sync can reach it. */
export function deleteCredentialsOfAgent(db: Database, agent: FormerAgent): Statement[] {
  return [rememberCredential(db, heldFor(db, agent)), db.delete(credentials).where(eq(credentials.agentId, agent.id))];
}

/** An agent's credentials for connections whose jobs it ran: its own, and those of its pool. */
function heldFor(db: Database, { id, poolId }: FormerAgent): SQL | undefined {
  const itsOwn = eq(connections.agentId, id);
  const served = db
    .select({ id: connections.id })
    .from(connections)
    .where(poolId === null ? itsOwn : or(itsOwn, and(isNull(connections.agentId), eq(connections.poolId, poolId))));
  return and(eq(credentials.agentId, id), inArray(credentials.connectionId, served));
}

/** Must precede a statement that removes a credential that no person has withdrawn. */
function rememberCredential(db: Database, which: SQL | undefined): Statement {
  const held = db
    .select({ id: credentials.connectionId })
    .from(credentials)
    .where(and(eq(credentials.state, "present"), which));
  return db.update(connections).set({ hadCredential: true }).where(inArray(connections.id, held));
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
 * The agent's key was replaced or is void: ciphertext for the old key is deleted, and the old vault is gone
 * (docs/design/credentials.md#changed-keys).
 */
export function forgetSealedTo(db: Database, agentId: string, newFingerprint: string | null, now: number): Statement {
  const error =
    "The agent has a new key and cannot open a credential that was sealed to the old one. Deliver it again.";
  const isOther =
    newFingerprint === null
      ? undefined
      : or(isNull(credentials.fingerprint), ne(credentials.fingerprint, newFingerprint));
  return db
    .update(credentials)
    .set({ ...NOTHING_SEALED, status: "pending", error, updatedAt: now })
    .where(and(eq(credentials.agentId, agentId), eq(credentials.state, "present"), isOther));
}

/** Ciphertext is kept for 24 hours at most (docs/design/credentials.md#delivery-states). */
export async function expireSealed(db: Database, now: number): Promise<void> {
  const error = "The agent did not fetch the credential within 24 hours, so it was discarded. Deliver it again.";
  await db
    .update(credentials)
    .set({ ...NOTHING_SEALED, status: "expired", error, updatedAt: now })
    .where(lte(credentials.jweExpiresAt, now));
}
