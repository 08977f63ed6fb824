import { and, eq } from "drizzle-orm";
import type { NotificationChannel } from "../../schema/contract/notification.ts";
import { notificationChannels } from "../../schema/tables/index.ts";
import type { NotificationChannelRow } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type { NotificationChannelRow };

/** At most one for each channel. */
export function listNotificationChannelRows(db: Database): Promise<NotificationChannelRow[]> {
  return db.select().from(notificationChannels);
}

/** Changes no row when another caller has changed the channel since the row before it was read. */
export function saveNotificationChannel(db: Database, row: NotificationChannelRow): Statement {
  return db
    .insert(notificationChannels)
    .values(row)
    .onConflictDoUpdate({
      target: notificationChannels.channel,
      set: row,
      setWhere: eq(notificationChannels.revision, row.revision - 1),
    });
}

export function deleteNotificationChannelRow(
  db: Database,
  { channel, revision }: { channel: NotificationChannel; revision: number },
): Statement {
  return db
    .delete(notificationChannels)
    .where(and(eq(notificationChannels.channel, channel), eq(notificationChannels.revision, revision)));
}
