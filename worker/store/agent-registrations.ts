import { and, eq, isNull, sql } from "drizzle-orm";
import type { PublicKey } from "../../schema/contract/agent.ts";
import type { Registration } from "../../schema/contract/management.ts";
import { agents } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

/** The columns that check an agent's key and its registration. */
export interface AgentIdentity {
  id: string;
  name: string;
  poolId: string | null;
  enabled: boolean;
  epoch: number;
  keyHash: string;
  /** Null before the first registration, and after a new agent key. */
  publicKey: PublicKey | null;
}

/** The agent whose key has this prefix; null when there is none or it was deleted. */
export async function findAgentByKeyPrefix(db: Database, keyPrefix: string): Promise<AgentIdentity | null> {
  const row = await db
    .select({
      id: agents.id,
      name: agents.name,
      poolId: agents.poolId,
      enabled: agents.enabled,
      epoch: agents.epoch,
      keyHash: agents.keyHash,
      publicKey: agents.publicKey,
    })
    .from(agents)
    .where(and(eq(agents.keyPrefix, keyPrefix), isNull(agents.deletedAt)))
    .get();
  return row ?? null;
}

/**
 * Stores a registration, after which no enrolment code is valid. The agent keeps the name that people gave it
 * (docs/design/agent-protocol.md#registration).
 */
export function saveRegistration(
  db: Database,
  agentId: string,
  registration: Registration,
  publicKey: PublicKey,
): Statement {
  return db
    .update(agents)
    .set({ registration, publicKey, enrolmentDigest: null, enrolmentExpiresAt: null })
    .where(eq(agents.id, agentId));
}

/** Records when agents were last heard, in one statement (invariant 7). Times never go back. */
export async function flushHeartbeats(
  db: Database,
  heartbeats: readonly { agentId: string; lastHeartbeatAt: number }[],
): Promise<void> {
  await db.run(sql`
    update agents set last_heartbeat_at = reported.at
    from (select value ->> 'agentId' as id, value ->> 'lastHeartbeatAt' as at
          from json_each(${JSON.stringify(heartbeats)})) as reported
    where agents.id = reported.id and coalesce(agents.last_heartbeat_at, 0) < reported.at`);
}
