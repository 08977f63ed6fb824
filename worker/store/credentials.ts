import { and, asc, eq, exists, getTableColumns, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { agents, connections, credentials } from "../../schema/tables/index.ts";
import type { ConnectionRow, CredentialRow } from "../../schema/tables/index.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { insertAuditIf } from "./audit.ts";
import type { AuditRow } from "./audit.ts";
import type { Database, Statement } from "./database.ts";
import { isRecipient } from "./recipient.ts";

/** A record without its ciphertext, which may be more than a megabyte and is only for the delivery. */
export type CredentialRecord = Omit<CredentialRow, "jwe"> & { sealed: boolean };

const { jwe: _read_by_findSyncs, ...plainColumns } = getTableColumns(credentials);
const record = { ...plainColumns, sealed: sql`${credentials.jwe} is not null`.mapWith(Boolean) };

/** For every change that ends the wait of a ciphertext. */
export const NOTHING_SEALED = { jwe: null, jweExpiresAt: null, jobId: null };

export interface RecipientRow {
  connectionId: string;
  agent: Pick<typeof agents.$inferSelect, "id" | "name" | "publicKey" | "fingerprintVerification">;
  credential: CredentialRecord | null;
}

/** The agents that are to have these connections' credentials, and the state of each delivery. */
export function findRecipientsOf(db: Database, connectionIds: readonly string[]): Promise<RecipientRow[]> {
  return db
    .select({
      connectionId: connections.id,
      agent: {
        id: agents.id,
        name: agents.name,
        publicKey: agents.publicKey,
        fingerprintVerification: agents.fingerprintVerification,
      },
      credential: record,
    })
    .from(connections)
    .innerJoin(agents, isRecipient)
    .leftJoin(credentials, and(eq(credentials.connectionId, connections.id), eq(credentials.agentId, agents.id)))
    .where(inArray(connections.id, [...connectionIds]))
    .orderBy(asc(agents.id));
}

export function findRecipients(db: Database, connectionId: string): Promise<RecipientRow[]> {
  return findRecipientsOf(db, [connectionId]);
}

/**
 * Stores a delivery if the credential's version is still the one that was read (0 for none). Must precede
 * `insertAuditIfRecipient`, which fails the batch if the connection was deleted meanwhile.
 */
export function upsertSealed(
  db: Database,
  seenVersion: number,
  row: Pick<
    CredentialRow,
    "connectionId" | "agentId" | "type" | "version" | "fingerprint" | "jwe" | "jweExpiresAt" | "updatedAt"
  >,
): Statement {
  const sealed = { ...row, state: "present" as const, status: "pending" as const };
  return db
    .insert(credentials)
    .values({ ...sealed, error: null, jobId: null })
    .onConflictDoUpdate({
      target: [credentials.connectionId, credentials.agentId],
      set: { ...sealed, error: null, jobId: null },
      setWhere: eq(credentials.version, seenVersion),
    });
}

/**
 * The audit entry of a delivery. Fails the batch when the delivery matched no row, or the agent no longer belongs to
 * the connection.
 */
export function insertAuditIfRecipient(
  db: Database,
  row: AuditRow,
  { connectionId, agentId }: { connectionId: string; agentId: string },
): Statement {
  const recipient = db
    .select({ one: sql`1` })
    .from(connections)
    .innerJoin(agents, isRecipient)
    .where(and(eq(connections.id, connectionId), eq(agents.id, agentId)));
  return insertAuditIf(db, row, sql`changes() > 0 and ${exists(recipient)}`);
}

/** The content of a credentialSync job, read at its delivery. */
export interface SyncRow {
  jobId: string;
  connectionId: string;
  state: "present" | "absent";
  version: number;
  jwe: string | null;
  type: ConnectionType | null;
  config: JsonObject | null;
}

/** The credentials that these jobs deliver or remove. A job that a newer state has superseded is missing. */
export async function findSyncs(db: Database, jobIds: readonly string[]): Promise<SyncRow[]> {
  const rows = await db
    .select({
      jobId: credentials.jobId,
      connectionId: credentials.connectionId,
      state: credentials.state,
      version: credentials.version,
      jwe: credentials.jwe,
      type: credentials.type,
      config: connections.config,
    })
    .from(credentials)
    .leftJoin(connections, eq(connections.id, credentials.connectionId))
    .where(inArray(credentials.jobId, [...jobIds]));
  return rows.flatMap(({ jobId, ...row }) => (jobId === null ? [] : [{ jobId, ...row }]));
}

/** The record that a job is to change; null when a newer state has superseded the job. */
export async function findCredentialOfJob(db: Database, jobId: string): Promise<CredentialRecord | null> {
  return (await db.select(record).from(credentials).where(eq(credentials.jobId, jobId)).get()) ?? null;
}

type CredentialChange = Partial<Omit<CredentialRow, "connectionId" | "agentId">> & { updatedAt: number };

/** Changes one record, if it is still in the state that was read. */
export function changeCredential(db: Database, seen: CredentialRecord, change: CredentialChange): Statement {
  return db.update(credentials).set(change).where(unchanged(seen));
}

/**
 * The agent has acknowledged this version. An earlier report about another version is dropped; one about this version
 * may have come first, by heartbeat.
 */
export function acknowledgeCredential(db: Database, seen: CredentialRecord, updatedAt: number): Statement {
  const { reported, version } = credentials;
  const ofThisVersion = sql`case when json_extract(${reported}, '$.version') = ${version} then ${reported} end`;
  return db
    .update(credentials)
    .set({ ...NOTHING_SEALED, status: "delivered", error: null, reported: ofThisVersion, updatedAt })
    .where(unchanged(seen));
}

export function forgetCredential(db: Database, seen: CredentialRecord): Statement {
  return db.delete(credentials).where(unchanged(seen));
}

function unchanged(seen: CredentialRecord) {
  return and(
    eq(credentials.connectionId, seen.connectionId),
    eq(credentials.agentId, seen.agentId),
    eq(credentials.state, seen.state),
    eq(credentials.version, seen.version),
  );
}

/** Sets the job of a credential's sync, unless it has one. */
export function claimSync(db: Database, seen: CredentialRecord, jobId: string): Statement {
  return db
    .update(credentials)
    .set({ jobId })
    .where(
      and(
        eq(credentials.connectionId, seen.connectionId),
        eq(credentials.agentId, seen.agentId),
        eq(credentials.version, seen.version),
        isNull(credentials.jobId),
      ),
    );
}

/** A person put a credential in on the agent's machine. */
export function adoptCredential(
  db: Database,
  row: Pick<CredentialRow, "connectionId" | "agentId" | "type" | "version" | "reported" | "updatedAt">,
): Statement {
  const adopted = { state: "present" as const, status: "delivered" as const, error: null, ...NOTHING_SEALED };
  return db
    .insert(credentials)
    .values({ ...row, ...adopted })
    .onConflictDoUpdate({
      target: [credentials.connectionId, credentials.agentId],
      set: { ...adopted, reported: row.reported, updatedAt: row.updatedAt },
      setWhere: eq(credentials.state, "absent"),
    });
}

export interface DueSync {
  credential: CredentialRecord;
  agentPoolId: string | null;
}

/** Pending syncs without a job: of these agents, or of all agents since before `before` (epoch ms). */
export function findDueSyncs(
  db: Database,
  which: { agentIds: readonly string[] } | { before: number; failedBefore: number; limit: number },
): Promise<DueSync[]> {
  const query = db
    .select({ credential: record, agentPoolId: agents.poolId })
    .from(credentials)
    .innerJoin(agents, and(eq(agents.id, credentials.agentId), isNull(agents.deletedAt)))
    .where(
      and(
        eq(credentials.status, "pending"),
        isNull(credentials.jobId),
        or(eq(credentials.state, "absent"), isNotNull(credentials.jwe)),
        "agentIds" in which
          ? inArray(credentials.agentId, [...which.agentIds])
          : and(
              lt(credentials.updatedAt, which.before),
              or(isNull(credentials.error), lt(credentials.updatedAt, which.failedBefore)),
            ),
      ),
    );
  return "agentIds" in which ? query : query.limit(which.limit);
}

/** The fields of a connection that decide where its credential goes. */
export type CredentialConnection = Pick<ConnectionRow, "id" | "type" | "config" | "usableBy" | "targetEdits">;

const { id, type, config, usableBy, targetEdits } = getTableColumns(connections);
const connection = { id, type, config, usableBy, targetEdits };

export interface ReportedRow {
  credential: CredentialRecord;
  /** Null when the connection was deleted. */
  connection: CredentialConnection | null;
  isRecipient: boolean;
}

/** The wanted state of all of an agent's credentials. */
export async function findCredentialsOfAgent(db: Database, agentId: string): Promise<ReportedRow[]> {
  return db
    .select({
      credential: record,
      connection,
      isRecipient: sql`${connections.id} is not null and ${isRecipient}`.mapWith(Boolean),
    })
    .from(credentials)
    .innerJoin(agents, eq(agents.id, credentials.agentId))
    .leftJoin(connections, eq(connections.id, credentials.connectionId))
    .where(eq(credentials.agentId, agentId));
}

/** Those of these connections that exist. */
export function findConnectionsOf(db: Database, ids: readonly string[]): Promise<CredentialConnection[]> {
  return db
    .select(connection)
    .from(connections)
    .where(inArray(connections.id, [...ids]));
}

/** For connections with edited targets: the version from which on each agent's credential is for the present target. */
export function findTargetFloors(
  db: Database,
  connectionIds: readonly string[],
  agentId: string | null,
): Promise<Pick<CredentialRow, "connectionId" | "agentId" | "targetFloor">[]> {
  return db
    .select({
      connectionId: credentials.connectionId,
      agentId: credentials.agentId,
      targetFloor: credentials.targetFloor,
    })
    .from(credentials)
    .where(
      and(
        inArray(credentials.connectionId, [...connectionIds]),
        agentId === null ? undefined : eq(credentials.agentId, agentId),
      ),
    );
}

/**
 * Must follow an edit of a connection's target. Credentials on agents are for the former target, and so may be one that
 * a person is sealing now under the next version: both are below the floor.
 */
export function raiseTargetFloors(db: Database, connectionId: string): Statement {
  return db
    .update(credentials)
    .set({ targetFloor: sql`max(${credentials.version} + 2, ${credentials.targetFloor} + 1)` })
    .where(eq(credentials.connectionId, connectionId));
}

/** The agents that have a connection's credential, or from which it is to be removed. */
export async function findHolders(db: Database, connectionId: string): Promise<string[]> {
  const rows = await db
    .select({ agentId: credentials.agentId })
    .from(credentials)
    .where(eq(credentials.connectionId, connectionId));
  return rows.map(({ agentId }) => agentId);
}
