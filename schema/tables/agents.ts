import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { PublicKey } from "../contract/agent.ts";
import type { Registration } from "../contract/management.ts";
import { flag, json, timeMs } from "./columns.ts";

/** `by` is an actor, as in the audit log; `at` is in epoch ms. */
export interface FingerprintVerification {
  fingerprint: string;
  by: string;
  at: number;
}

export const agents = sqliteTable(
  "agents",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    description: text("description"),
    poolId: text("pool_id"),
    keyPrefix: text("key_prefix").notNull(),
    keyHash: text("key_hash").notNull(),
    /** The SHA-256 of the present enrolment code; null once it was used, or the agent has registered. */
    enrolmentDigest: text("enrolment_digest"),
    enrolmentExpiresAt: timeMs("enrolment_expires_at"),
    enabled: flag("enabled").notNull().default(true),
    registration: json<Registration>("registration"),
    publicKey: json<PublicKey>("public_key"),
    /** The last comparison of a key by a person. It says nothing about a key with another fingerprint. */
    fingerprintVerification: json<FingerprintVerification>("fingerprint_verification"),
    /** Rises with every change that the dispatcher must know: key, enabled, pool, deletion. */
    epoch: integer("epoch").notNull().default(1),
    pushedEpoch: integer("pushed_epoch").notNull().default(0),
    /** Written in batches by the dispatcher; the live value is the dispatcher's (invariant 7). */
    lastHeartbeatAt: timeMs("last_heartbeat_at"),
    createdAt: timeMs("created_at").notNull(),
    updatedAt: timeMs("updated_at").notNull(),
    /** A deleted agent's row stays until its dispatcher has released it. */
    deletedAt: timeMs("deleted_at"),
  },
  (table) => [
    uniqueIndex("agents_key_prefix").on(table.keyPrefix),
    uniqueIndex("agents_enrolment").on(table.enrolmentDigest),
    index("agents_of_pool").on(table.poolId, table.id),
    index("agents_behind").on(table.pushedEpoch, table.epoch),
  ],
);
export type AgentRow = typeof agents.$inferSelect;
