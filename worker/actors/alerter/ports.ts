import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import {
  readAsking,
  readFailedRuns,
  readKnownRules,
  readLostCredentials,
  readPools,
  readRecoveries,
  readRefusedLogins,
  readSwitchedOff,
} from "../../services/alerts/index.ts";
import type { EventPage, Failing, KnownRules, Recoveries } from "../../services/alerts/index.ts";
import type { PoolsRead } from "../../domain/alerts/conditions.ts";
import type { Deps } from "../../services/deps.ts";
import { prepareReceiverDelivery, sendOnce } from "../../services/notifications/index.ts";
import type { NoticeMessage, Prepared, Receiver } from "../../services/notifications/index.ts";
import type { Position } from "../../store/alert-facts.ts";
import { waitAtMost, withTimeout } from "../kit/with-timeout.ts";
import type { NotifierPorts } from "../notifier/index.ts";

/** Reads events after a position. Rejects while the database is away. */
export type ReadEvents = (after: Position, limit: number) => Promise<EventPage>;

/** Everything outside an Alerter that it uses. */
export interface AlerterPorts extends Pick<NotifierPorts, "now" | "random" | "send" | "atMost"> {
  newNoticeId(): string;
  /** The console's address; null when it is unknown. */
  readonly origin: string | null;
  /** Rejects while the database is away. */
  readKnownRules(): Promise<KnownRules>;
  readonly failedRuns: ReadEvents;
  readonly switchedOff: ReadEvents;
  readonly asking: ReadEvents;
  readonly lostCredentials: ReadEvents;
  readonly refusedLogins: ReadEvents;
  /** The pools that answer, and agents without one. Rejects while the database is away. */
  pools(): Promise<PoolsRead>;
  recoveries(failing: readonly Failing[]): Promise<Recoveries>;
  prepare(
    receiver: Receiver,
    message: NoticeMessage,
    channels: KnownRules["channels"],
  ): Promise<Prepared<ReceiverType>>;
}

const READ_LIMIT_MS = 20_000;

export function createAlerterPorts(deps: Deps): AlerterPorts {
  const reads = (read: (of: Deps, after: Position, limit: number) => Promise<EventPage>): ReadEvents => {
    return (after, limit) => inTime(read(deps, after, limit));
  };
  return {
    now: deps.now,
    random: Math.random,
    send: sendOnce,
    atMost: (work, limitMs) => waitAtMost(limitMs, work),
    newNoticeId: () => deps.newId("notice"),
    origin: deps.settings.publicOrigin,
    readKnownRules: () => inTime(readKnownRules(deps)),
    failedRuns: reads(readFailedRuns),
    switchedOff: reads(readSwitchedOff),
    asking: reads(readAsking),
    lostCredentials: reads(readLostCredentials),
    refusedLogins: reads(readRefusedLogins),
    pools: () => inTime(readPools(deps)),
    recoveries: (failing) => inTime(readRecoveries(deps, failing)),
    prepare: (receiver, message, channels) => prepareReceiverDelivery(deps, receiver, message, channels),
  };
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return withTimeout(READ_LIMIT_MS, "a read of the alerter", work);
}
