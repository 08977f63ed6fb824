import { FINISHED_JOB_IDS_KEEP_MS } from "../../../schema/limits.ts";
import { earliest } from "../../actors/kit/earliest.ts";
import { resumeInterrupted } from "../../domain/notification.ts";
import { logError } from "../log.ts";
import { AlarmClock } from "../pool/alarm-clock.ts";
import { NotificationBook } from "./notification-book.ts";
import type { LiveNotification } from "./notification-book.ts";
import { NotificationStorage } from "./notification-storage.ts";
import type { NotifierStorage } from "./notification-storage.ts";
import type { NotifierWorld } from "./notifier-world.ts";

/** A Notifier at work: what the verbs of this folder share. */
export interface Notifier {
  readonly storage: NotificationStorage;
  readonly book: NotificationBook;
  readonly world: NotifierWorld;
  readonly alarm: AlarmClock;
  readonly timers: NotifierTimers;
  /** The tries under way. */
  readonly sending: Map<LiveNotification, Promise<void>>;
  /** Work that nobody waits for. */
  background(work: Promise<unknown>): void;
}

/** When its own duties are due (epoch ms); null when they are not. */
export interface NotifierTimers {
  tellEndsAt: number | null;
  tellFailures: number;
  pruneAt: number | null;
  /** True while the alarm's work goes on: what is due is begun at once, and needs no other alarm. */
  working: boolean;
}

/**
 * Slow receivers must not hold up the others, and as many messages of a mebibyte fit into the memory of an object. Of six
 * connections of one call on Cloudflare's network that wait for their answer, further ones wait for these.
 */
export const SENDING_AT_ONCE = 16;
/** Finished ids are forgotten in hourly portions. */
const PRUNE_EVERY_MS = 60 * 60_000;
/** Should the object end while it sends, the next alarm rings this long after the try's limit. */
const SAFETY_MS = 5_000;

/** Loads a Notifier from its storage; it may have ended in the middle of a try. `armNotifier` comes next. */
export function openNotifier(
  storage: NotifierStorage,
  world: NotifierWorld,
  background: (work: Promise<unknown>) => void,
): Notifier {
  const notificationStorage = new NotificationStorage(storage);
  const book = new NotificationBook(notificationStorage);
  const now = world.now();
  for (const live of book.all()) book.change(live, resumeInterrupted(live.notification, now));
  return {
    storage: notificationStorage,
    book,
    world,
    alarm: new AlarmClock(storage, (error) =>
      logError("a Notifier's alarm could not be set", { error: String(error) }),
    ),
    timers: {
      tellEndsAt: book.all().some(({ notification }) => notification.stage.type === "ended") ? now : null,
      tellFailures: 0,
      pruneAt: nextPrune(notificationStorage),
      working: false,
    },
    sending: new Map(),
    background,
  };
}

/** Arms the alarm when work is pending. One that is set for earlier, `armedAt` (epoch ms), stays: it may be what woke it. */
export function armNotifier(notifier: Notifier, armedAt: number | null): void {
  const due = nextDue(notifier);
  notifier.alarm.adopt(armedAt);
  if (due !== null) notifier.alarm.by(due);
}

/** When it must look after something though nobody calls it (epoch ms); null when never. */
export function nextDue(notifier: Notifier): number | null {
  return earliest(dueTimes(notifier));
}

export function nextPrune(storage: NotificationStorage): number | null {
  const oldest = storage.oldestFinishedAt();
  return oldest === null ? null : oldest + FINISHED_JOB_IDS_KEEP_MS + PRUNE_EVERY_MS;
}

function* dueTimes({ book, timers, sending }: Notifier): Generator<number | null> {
  yield timers.tellEndsAt;
  yield timers.pruneAt;
  for (const live of book.all()) {
    const { stage } = live.notification;
    // Those that find no room are begun by whoever ends; those that are being begun still wait for a moment.
    if (stage.type === "waiting" && sending.size < SENDING_AT_ONCE && !sending.has(live)) yield stage.nextAt;
    if (stage.type === "sending") yield stage.startedAt + stage.limitMs + SAFETY_MS;
  }
}
