import type { NotificationChannelView } from "../../../schema/contract/notification-channel.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { writeBatch } from "../../store/database.ts";
import { deleteNotificationChannelRow, listNotificationChannelRows } from "../../store/notification-channels.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { forgetNotificationSettings } from "../notifications/index.ts";
import { requireChannel, viewOf } from "./channel.ts";

/** Deletes a channel's stored settings: those of the environment count again. Safe to repeat. */
export async function removeChannel(deps: Deps, actor: string, name: string): Promise<NotificationChannelView> {
  const channel = requireChannel(name);
  await retryOnConflict("This channel", async () => {
    const row = (await listNotificationChannelRows(deps.db)).find((one) => one.channel === channel);
    if (row === undefined) return;
    await writeBatch(deps.db, [
      deleteNotificationChannelRow(deps.db, row),
      recordIfChanged(deps, { actor, verb: "delete", subjectType: "notification-channel", subjectId: channel }),
    ]);
  });
  forgetNotificationSettings(deps);
  return viewOf(deps, channel);
}
