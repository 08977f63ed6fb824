import { and, count, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { notificationReceivers, notificationRules } from "../../schema/tables/index.ts";
import type { NotificationReceiverRow } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type { NotificationReceiverRow };
type Seen = Pick<NotificationReceiverRow, "id" | "revision">;

export async function findNotificationReceiver(db: Database, id: string): Promise<NotificationReceiverRow | null> {
  return (await db.select().from(notificationReceivers).where(eq(notificationReceivers.id, id)).get()) ?? null;
}

export function findNotificationReceivers(db: Database, ids: readonly string[]): Promise<NotificationReceiverRow[]> {
  return db
    .select()
    .from(notificationReceivers)
    .where(inArray(notificationReceivers.id, [...ids]));
}

export async function findNotificationReceiverNamed(db: Database, name: string): Promise<{ id: string } | null> {
  const { id, name: column } = notificationReceivers;
  return (await db.select({ id }).from(notificationReceivers).where(eq(column, name)).get()) ?? null;
}

/** Newest first, up to `limit`. */
export function listNotificationReceivers(
  db: Database,
  page: { beforeId: string | null; limit: number },
): Promise<NotificationReceiverRow[]> {
  const { id } = notificationReceivers;
  const before = page.beforeId === null ? undefined : lt(id, page.beforeId);
  return db.select().from(notificationReceivers).where(before).orderBy(desc(id)).limit(page.limit);
}

export async function countNotificationReceivers(db: Database): Promise<number> {
  return (await db.select({ receivers: count() }).from(notificationReceivers).get())?.receivers ?? 0;
}

/** With `limit` receivers, the row has no id: the whole batch then fails as a conflict. */
export function insertNotificationReceiver(db: Database, row: NotificationReceiverRow, limit: number): Statement {
  const hasRoom = sql`(select count(*) from ${notificationReceivers}) < ${limit}`;
  return db.insert(notificationReceivers).values({ ...row, id: sql`case when ${hasRoom} then ${row.id} end` });
}

/** A conditional update: it meets no row when the receiver has changed since it was read. */
export function updateNotificationReceiver(db: Database, { id, ...row }: NotificationReceiverRow): Statement {
  return db
    .update(notificationReceivers)
    .set(row)
    .where(isSeen({ id, revision: row.revision - 1 }));
}

/** Meets no row when the receiver has changed since it was read, or a rule names it. */
export function deleteNotificationReceiverRow(db: Database, seen: Seen): Statement {
  const named = sql`select 1 from ${notificationRules}, json_each(${notificationRules.rule}, '$.receivers')
    where value = ${seen.id}`;
  return db.delete(notificationReceivers).where(and(isSeen(seen), sql`not exists (${named})`));
}

function isSeen({ id, revision }: Seen) {
  return and(eq(notificationReceivers.id, id), eq(notificationReceivers.revision, revision));
}
