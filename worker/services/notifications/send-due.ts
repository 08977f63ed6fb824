import {
  beginAttempt,
  endAttempt,
  failNotification,
  handOver,
  isQueuedTooLong,
  withdrawAttempt,
} from "../../domain/notification.ts";
import { logError } from "../log.ts";
import type { LiveNotification } from "./notification-book.ts";
import { SENDING_AT_ONCE } from "./notifier.ts";
import type { Notifier } from "./notifier.ts";
import type { Delivery } from "./prepared.ts";
import { tellEnds } from "./tell-ends.ts";

const FAULT_PAUSE_MS = 10_000;

/** Begins a try of everything that is due, as far as there is room; the rest follows as tries end. Never throws. */
export function sendDue(notifier: Notifier): void {
  const now = notifier.world.now();
  for (const live of dueOf(notifier, now)) {
    if (notifier.sending.size >= SENDING_AT_ONCE) return;
    // Not before it is in the map: a try that needs no waiting would end before it is there.
    const work = Promise.resolve().then(() => runAttempt(notifier, live));
    notifier.sending.set(live, work);
    notifier.background(work);
  }
}

function dueOf({ book, sending }: Notifier, now: number): LiveNotification[] {
  const due = book.all().flatMap((live) => {
    const { stage } = live.notification;
    return stage.type === "waiting" && stage.nextAt <= now && !sending.has(live) ? [{ live, at: stage.nextAt }] : [];
  });
  return due.sort((a, b) => a.at - b.at || a.live.seq - b.live.seq).map(({ live }) => live);
}

async function runAttempt(notifier: Notifier, live: LiveNotification): Promise<void> {
  try {
    await attempt(notifier, live);
  } catch (error) {
    notifier.sending.delete(live);
    endFaulty(notifier, live, error);
    return;
  }
  notifier.sending.delete(live);
  sendDue(notifier);
}

async function attempt(notifier: Notifier, live: LiveNotification): Promise<void> {
  const { book, world } = notifier;
  const delivery = prepare(notifier, live);
  if (delivery !== null) {
    book.change(live, beginAttempt(live.notification, delivery.target, world.now()));
    // Nothing is sent before it is on disk that it is being sent.
    await notifier.storage.sync();
    await sendOnce(notifier, live, delivery);
  }
  const { stage } = live.notification;
  if (stage.type === "waiting") notifier.alarm.by(stage.nextAt);
  // Beside the tries, so that a Run that is away keeps no place.
  else notifier.background(tellEnds(notifier));
}

/** Null when there is nothing to send: the notification has ended, or was replaced. */
function prepare({ book, world }: Notifier, live: LiveNotification): Delivery | null {
  const order = book.orderOf(live);
  const now = world.now();
  if (order === null || live.notification.stage.type !== "waiting") return null;
  if (isQueuedTooLong(live.notification, now)) {
    const message =
      "It waited longer than its queueTimeoutSeconds for its turn: this workflow sends many notifications at once, or slow ones.";
    book.change(live, failNotification(live.notification, { code: "queue_timeout", message }, now));
    return null;
  }
  const prepared = world.prepare(order);
  if (prepared.ok) return prepared.delivery;
  book.change(live, failNotification(live.notification, prepared.failure, now));
  return null;
}

async function sendOnce({ book, storage, world }: Notifier, live: LiveNotification, delivery: Delivery): Promise<void> {
  // While it was being written it may have been cancelled, or replaced by a newer attempt.
  book.change(live, withdrawAttempt(live.notification, world.now()));
  const { stage, accepted, rejected } = live.notification;
  if (stage.type !== "sending" || !book.isCurrent(live)) return;
  const settled = new Set([...accepted, ...rejected.map(({ address }) => address)]);
  const noteHandover = async () => {
    const handed = handOver(live.notification);
    if (handed.stage.type !== "sending" || !book.change(live, handed)) throw new Error("It was replaced.");
    await storage.sync();
    return handed.stage.startedAt + handed.stage.limitMs - world.now();
  };
  const answer = await world.send(delivery, settled, { limitMs: stage.limitMs, noteHandover });
  book.change(live, endAttempt(live.notification, answer, world.now(), world.random()));
}

/** A fault of the service itself: tried again, it would come again. */
function endFaulty({ alarm, book, world }: Notifier, live: LiveNotification, error: unknown): void {
  const { jobId } = live.notification.facts;
  logError("a notification could not be tried", { jobId, error: String(error) });
  const now = world.now();
  alarm.by(now + FAULT_PAUSE_MS);
  const message = "The service failed in trying it; its log says why.";
  book.change(live, failNotification(live.notification, { code: "internal_error", message }, now));
}
