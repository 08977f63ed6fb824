import { NOTIFICATION_RECEIVERS_MAX, NOTIFICATION_RULES_MAX } from "../../../schema/limits.ts";
import type { ActiveRule } from "../../domain/alerts/event.ts";
import { listNotificationChannelRows } from "../../store/notification-channels.ts";
import type { NotificationChannelRow } from "../../store/notification-channels.ts";
import { listNotificationReceivers } from "../../store/notification-receivers.ts";
import { listNotificationRules } from "../../store/notification-rules.ts";
import type { Deps } from "../deps.ts";
import type { Receiver } from "../notifications/index.ts";

/** What the Alerter needs to send while the database is away. Addresses and the secrets of channels are sealed. */
export interface KnownRules {
  readonly rules: readonly ActiveRule[];
  readonly receivers: readonly Receiver[];
  readonly channels: readonly NotificationChannelRow[];
}

/** Every rule, those that are off, too, and the receivers that rules name. */
export async function readKnownRules({ db }: Pick<Deps, "db">): Promise<KnownRules> {
  const rows = await listNotificationRules(db, { beforeId: null, limit: NOTIFICATION_RULES_MAX });
  const rules = rows.map(({ id, since, rule }) => ({ id, since, rule }));
  if (rules.length === 0) return { rules, receivers: [], channels: [] };
  const named = new Set(rules.flatMap(({ rule }) => rule.receivers));
  const receivers = await listNotificationReceivers(db, { beforeId: null, limit: NOTIFICATION_RECEIVERS_MAX });
  return {
    rules,
    receivers: receivers
      .filter(({ id }) => named.has(id))
      .map(({ id, type, recipients, sealedAddress, shown }) => ({ id, type, recipients, sealedAddress, shown })),
    channels: await listNotificationChannelRows(db),
  };
}
