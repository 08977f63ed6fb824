import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ConnectionType } from "../contract/connection.ts";
import type { CredentialTarget } from "../contract/credential-target.ts";
import type { CredentialStatus } from "../contract/credential.ts";
import type { JsonObject } from "../contract/json.ts";
import type { UsableBy } from "../contract/usable-by.ts";
import { flag, json, timeMs } from "./columns.ts";

export const connections = sqliteTable(
  "connections",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    type: text("type").$type<ConnectionType>().notNull(),
    config: json<JsonObject>("config").notNull(),
    agentId: text("agent_id"),
    poolId: text("pool_id"),
    /** Null: every person with the permissions may use it. */
    usableBy: json<UsableBy>("usable_by"),
    enabled: flag("enabled").notNull().default(true),
    revision: integer("revision").notNull().default(1),
    /**
     * An agent left with its credential: it was moved or deleted, or the connection was moved to others. Jobs wait for
     * a new delivery until a person withdraws the credential, even if the type works without one.
     */
    hadCredential: flag("had_credential").notNull().default(false),
    /** How many edits changed the credential's target (`targetOf`); below, the fields that the last of them changed. */
    targetEdits: integer("target_edits").notNull().default(0),
    targetEdited: json<string[]>("target_edited"),
    /** Earlier targets, newest first: agents report digests, and this list turns them into words. */
    formerTargets: json<CredentialTarget[]>("former_targets"),
    createdAt: timeMs("created_at").notNull(),
    updatedAt: timeMs("updated_at").notNull(),
  },
  (table) => [index("connections_of_agent").on(table.agentId), index("connections_of_pool").on(table.poolId)],
);
export type ConnectionRow = typeof connections.$inferSelect;

/**
 * The desired state of one connection's credential on one agent; it outlives the connection
 * (docs/design/credentials.md#wanted-state). `jwe` is ciphertext for that agent alone, and is removed when it is
 * acknowledged or after 24 hours.
 */
export const credentials = sqliteTable(
  "credentials",
  {
    connectionId: text("connection_id").notNull(),
    agentId: text("agent_id").notNull(),
    /** The connection's type, for a sync after the connection was deleted. */
    type: text("type").$type<ConnectionType>(),
    state: text("state").$type<"present" | "absent">().notNull(),
    version: integer("version").notNull(),
    /** Lower versions were sealed for a target that the connection no longer has; every edit of the target raises it. */
    targetFloor: integer("target_floor").notNull().default(0),
    /** The agent's last report of this credential; null after it acknowledged `version` and before its next report. */
    reported: json<{ version: number; target?: string | null; changedAt?: string }>("reported"),
    status: text("status").$type<CredentialStatus>().notNull(),
    fingerprint: text("fingerprint"),
    jwe: text("jwe"),
    jweExpiresAt: timeMs("jwe_expires_at"),
    error: text("error"),
    /** The job that brings the agent to this state; null without one. */
    jobId: text("job_id"),
    updatedAt: timeMs("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.connectionId, table.agentId] }),
    index("credentials_of_agent").on(table.agentId),
    index("credentials_expiring").on(table.jweExpiresAt),
    index("credentials_of_job").on(table.jobId),
    index("credentials_due").on(table.status, table.updatedAt),
  ],
);
export type CredentialRow = typeof credentials.$inferSelect;
