import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { NotificationChannel } from "../contract/notification.ts";
import type { StoredChannel } from "../contract/notification-channel.ts";
import type { ReceiverType } from "../contract/notification-receiver.ts";
import { json, timeMs } from "./columns.ts";

export const notificationReceivers = sqliteTable(
  "notification_receivers",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    type: text("type").$type<ReceiverType>().notNull(),
    /** Mail addresses or a phone number; null for the types whose address is sealed. */
    recipients: json<string[]>("recipients"),
    /** The address of a webhook, Slack or Teams (`worker/services/sealed-text.ts`), for this id only. */
    sealedAddress: text("sealed_address"),
    /** For people: the recipients, or the part of the address that is no secret. */
    shown: text("shown").notNull(),
    revision: integer("revision").notNull().default(1),
    createdAt: timeMs("created_at").notNull(),
    updatedAt: timeMs("updated_at").notNull(),
  },
  (table) => [uniqueIndex("notification_receivers_by_name").on(table.name)],
);
export type NotificationReceiverRow = typeof notificationReceivers.$inferSelect;

/** Settings of channels that an administrator has stored; they come before those of the environment. */
export const notificationChannels = sqliteTable("notification_channels", {
  channel: text("channel").$type<NotificationChannel>().primaryKey(),
  settings: json<StoredChannel>("settings").notNull(),
  /** Its secrets, for this channel and this server only (`worker/services/sealed-text.ts`); null for a server without a login. */
  sealedSecrets: text("sealed_secrets"),
  revision: integer("revision").notNull(),
  updatedAt: timeMs("updated_at").notNull(),
});
export type NotificationChannelRow = typeof notificationChannels.$inferSelect;
