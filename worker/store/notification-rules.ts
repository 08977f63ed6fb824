import { and, count, desc, eq, lt, sql } from "drizzle-orm";
import { notificationReceivers, notificationRules } from "../../schema/tables/index.ts";
import type { NotificationRuleRow } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type { NotificationRuleRow };
type Seen = Pick<NotificationRuleRow, "id" | "revision">;

export async function findNotificationRule(db: Database, id: string): Promise<NotificationRuleRow | null> {
  return (await db.select().from(notificationRules).where(eq(notificationRules.id, id)).get()) ?? null;
}

export async function findNotificationRuleNamed(db: Database, name: string): Promise<{ id: string } | null> {
  const { id } = notificationRules;
  const isNamed = sql`("rule" ->> '$.name') = ${name}`;
  return (await db.select({ id }).from(notificationRules).where(isNamed).get()) ?? null;
}

/** Newest first, up to `limit`. */
export function listNotificationRules(
  db: Database,
  page: { beforeId: string | null; limit: number },
): Promise<NotificationRuleRow[]> {
  const { id } = notificationRules;
  const before = page.beforeId === null ? undefined : lt(id, page.beforeId);
  return db.select().from(notificationRules).where(before).orderBy(desc(id)).limit(page.limit);
}

export async function countNotificationRules(db: Database): Promise<number> {
  return (await db.select({ rules: count() }).from(notificationRules).get())?.rules ?? 0;
}

/** The names of rules that send to a receiver: there are few rules. */
export async function rulesOfReceiver(db: Database, receiverId: string, limit: number): Promise<string[]> {
  const sends = sql`exists (select 1 from json_each("rule", '$.receivers') where value = ${receiverId})`;
  const name = sql<string>`"rule" ->> '$.name'`;
  return (await db.select({ name }).from(notificationRules).where(sends).limit(limit)).map((row) => row.name);
}

/** With `limit` rules, or without one of its receivers, the row has no id: the whole batch then fails as a conflict. */
export function insertNotificationRule(db: Database, row: NotificationRuleRow, limit: number): Statement {
  const hasRoom = sql`(select count(*) from ${notificationRules}) < ${limit}`;
  return db
    .insert(notificationRules)
    .values({ ...row, id: sql`case when ${hasRoom} and ${hasReceivers(row)} then ${row.id} end` });
}

/** A conditional update: it meets no row when the rule has changed since it was read, or a receiver is gone. */
export function updateNotificationRule(db: Database, { id, ...row }: NotificationRuleRow): Statement {
  return db
    .update(notificationRules)
    .set(row)
    .where(and(isSeen({ id, revision: row.revision - 1 }), hasReceivers(row)));
}

export function deleteNotificationRuleRow(db: Database, seen: Seen): Statement {
  return db.delete(notificationRules).where(isSeen(seen));
}

function hasReceivers({ rule: { receivers } }: Pick<NotificationRuleRow, "rule">) {
  const ids = sql`select ${notificationReceivers.id} from ${notificationReceivers}`;
  return sql`not exists (select 1 from json_each(${JSON.stringify(receivers)}) where value not in (${ids}))`;
}

function isSeen({ id, revision }: Seen) {
  return and(eq(notificationRules.id, id), eq(notificationRules.revision, revision));
}
