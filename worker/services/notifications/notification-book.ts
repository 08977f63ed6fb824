import { queueNotification } from "../../domain/notification.ts";
import type { Notification } from "../../domain/notification.ts";
import type { JobOrder } from "../../domain/run-types.ts";
import type { NotificationStorage } from "./notification-storage.ts";

/** Higher than any attempt: what was cancelled before it came is over for good. */
const EVERY_ATTEMPT = Number.MAX_SAFE_INTEGER;

/** A notification that is not over. */
export interface LiveNotification {
  /** The number of its row; rises with every notification. */
  readonly seq: number;
  notification: Notification;
  /** Set while its end is being told. */
  telling: Promise<boolean> | null;
}

/** Every notification of a Notifier that is not over: in memory for choosing, on disk as the truth. */
export class NotificationBook {
  readonly #storage: NotificationStorage;
  readonly #live = new Map<string, LiveNotification>();
  #nextSeq = 1;

  constructor(storage: NotificationStorage) {
    this.#storage = storage;
    for (const { seq, notification } of storage.load()) {
      this.#nextSeq = seq + 1;
      this.#live.set(notification.facts.jobId, { seq, notification, telling: null });
    }
  }

  get(jobId: string): LiveNotification | undefined {
    return this.#live.get(jobId);
  }

  all(): LiveNotification[] {
    return [...this.#live.values()];
  }

  /** Idempotent by (jobId, attempt); a newer attempt takes the place of an older one. False when nothing is new. */
  insert(order: JobOrder, now: number): boolean {
    const known = this.#live.get(order.jobId);
    if (known !== undefined && known.notification.facts.attempt >= order.attempt) return false;
    if ((this.#storage.loadFinished(order.jobId)?.attempt ?? 0) >= order.attempt) return false;
    if (known !== undefined) this.#remove(known);
    const live: LiveNotification = { seq: this.#nextSeq, notification: queueNotification(order, now), telling: null };
    this.#nextSeq += 1;
    this.#storage.insert(live.seq, live.notification, order);
    this.#live.set(order.jobId, live);
    return true;
  }

  /** Makes `notification` its record. False when it was replaced or is over. */
  change(live: LiveNotification, notification: Notification): boolean {
    if (!this.isCurrent(live)) return false;
    if (notification !== live.notification) this.#storage.save(live.seq, notification);
    live.notification = notification;
    return true;
  }

  /** The order as it came; null when it was replaced or is over. */
  orderOf(live: LiveNotification): JobOrder | null {
    const payload = this.#storage.loadPayload(live.seq);
    return payload === null ? null : { ...live.notification.facts, ...payload };
  }

  /** It is over, and whoever ordered it knows. A newer attempt that came meanwhile stays. */
  finish(live: LiveNotification, now: number): void {
    const { jobId, attempt } = live.notification.facts;
    this.#storage.saveFinished(jobId, attempt, now);
    if (this.isCurrent(live)) this.#remove(live);
  }

  /** It was cancelled before it came: it is not taken any more. */
  refuse(jobId: string, now: number): void {
    if (this.#storage.loadFinished(jobId) === null) this.#storage.saveFinished(jobId, EVERY_ATTEMPT, now);
  }

  isCurrent(live: LiveNotification): boolean {
    return this.#live.get(live.notification.facts.jobId) === live;
  }

  #remove(live: LiveNotification): void {
    this.#live.delete(live.notification.facts.jobId);
    this.#storage.delete(live.seq);
  }
}
