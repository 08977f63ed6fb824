import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Severity } from "../contract/incident.ts";
import type { IncidentEventType } from "../contract/workflow.ts";
import type { JsonObject } from "../contract/json.ts";
import { json, timeMs } from "./columns.ts";

export const incidents = sqliteTable(
  "incidents",
  {
    id: text("id").primaryKey(),
    title: text("title").notNull(),
    description: text("description"),
    severity: text("severity").$type<"critical" | "high" | "medium" | "low">().notNull(),
    status: text("status").$type<"triggered" | "acknowledged" | "resolved">().notNull(),
    service: text("service"),
    source: text("source"),
    host: text("host"),
    teamId: text("team_id"),
    assignedTo: text("assigned_to"),
    tags: json<Record<string, string>>("tags").notNull(),
    dedupKey: text("dedup_key"),
    escalationLevel: integer("escalation_level").notNull().default(0),
    revision: integer("revision").notNull().default(1),
    createdAt: timeMs("created_at").notNull(),
    updatedAt: timeMs("updated_at").notNull(),
    resolvedAt: timeMs("resolved_at"),
  },
  (table) => [
    // One open incident for each key: a repeated alert changes the open one.
    uniqueIndex("incidents_open_dedup_key")
      .on(table.dedupKey)
      .where(sql`${table.status} <> 'resolved' and ${table.dedupKey} is not null`),
    index("incidents_by_status").on(table.status, table.id),
    index("incidents_urgent")
      .on(table.severity, table.id)
      .where(sql`${table.status} <> 'resolved' and ${table.severity} in ('critical', 'high')`),
  ],
);
export type IncidentRow = typeof incidents.$inferSelect;

export const incidentEvents = sqliteTable(
  "incident_events",
  {
    id: text("id").primaryKey(),
    incidentId: text("incident_id").notNull(),
    type: text("type").$type<IncidentEventType>().notNull(),
    /** The incident at the time of the event, for the templates of its executions. */
    snapshot: json<JsonObject>("snapshot").notNull(),
    at: timeMs("at").notNull(),
    matchedAt: timeMs("matched_at"),
  },
  (table) => [
    index("incident_events_of_incident").on(table.incidentId, table.id),
    index("incident_events_unmatched").on(table.matchedAt, table.at),
  ],
);
export type IncidentEventRow = typeof incidentEvents.$inferSelect;

export const integrations = sqliteTable(
  "integrations",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    kind: text("kind").$type<"alertmanager" | "pagerduty" | "cloudevents">().notNull(),
    /** The severities of the source's own words. */
    severities: json<Record<string, Severity>>("severities").notNull().default({}),
    keyPrefix: text("key_prefix").notNull(),
    keyHash: text("key_hash").notNull(),
    createdAt: timeMs("created_at").notNull(),
  },
  (table) => [uniqueIndex("integrations_key_prefix").on(table.keyPrefix)],
);
export type IntegrationRow = typeof integrations.$inferSelect;

/** Deliveries of an integration, by the source's own id: a repeated delivery changes nothing. */
export const integrationDeliveries = sqliteTable(
  "integration_deliveries",
  {
    integrationId: text("integration_id").notNull(),
    deliveryKey: text("delivery_key").notNull(),
    incidentId: text("incident_id").notNull(),
    at: timeMs("at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.integrationId, table.deliveryKey] }),
    index("integration_deliveries_by_time").on(table.at),
  ],
);
export type IntegrationDeliveryRow = typeof integrationDeliveries.$inferSelect;
