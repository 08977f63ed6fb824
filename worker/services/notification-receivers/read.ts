import { listNotificationReceivers as operation } from "../../../schema/contract/api/notifications.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { NotificationReceiverView } from "../../../schema/contract/notification-receiver.ts";
import { findNotificationReceiver, listNotificationReceivers } from "../../store/notification-receivers.ts";
import type { NotificationReceiverRow } from "../../store/notification-receivers.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";

/** Newest first. */
export async function listReceivers(deps: Deps, query: unknown): Promise<Page<NotificationReceiverView>> {
  const { limit, beforeId } = parsePage("notificationReceiver", operation, query);
  const rows = await listNotificationReceivers(deps.db, { beforeId, limit: limit + 1 });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(toReceiverView), nextCursor };
}

export async function getReceiver(deps: Deps, id: string): Promise<NotificationReceiverView> {
  return toReceiverView(await requireReceiver(deps, id));
}

/** Throws `not_found`. */
export async function requireReceiver(deps: Deps, id: string): Promise<NotificationReceiverRow> {
  const row = await findNotificationReceiver(deps.db, id);
  if (row === null) throw notFound("notification receiver", id);
  return row;
}

export function toReceiverView(row: NotificationReceiverRow): NotificationReceiverView {
  const { id, name, type, recipients, shown, revision, createdAt, updatedAt } = row;
  const times = { createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
  return { id, name, type, to: recipients, toShown: shown, revision, ...times };
}

/** For the audit log: nothing of an address that may be secret. */
export function shownOf({ name, type, shown }: NotificationReceiverRow): JsonObject {
  return { name, type, to: shown };
}
