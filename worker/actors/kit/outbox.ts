import { logWarning } from "../../services/log.ts";
import type { LogFields } from "../../services/log.ts";
import { failureMessage } from "../../store/errors.ts";

const RETRY_FIRST_MS = 1_000;
const RETRY_LONGEST_MS = 30_000;
const CALLS_AT_ONCE = 16;

interface OutboxOptions<Item> {
  /** The stored items that are not acknowledged yet. `send` removes an item after its acknowledgement. */
  pending(): ReadonlySet<Item>;
  /** Rejects when the item was not acknowledged. May be called for an item that another call has just delivered. */
  send(item: Item): Promise<void>;
  /** Epoch milliseconds. */
  now(): number;
  /** After this many failures without a success the other items wait too. For an outbox with a single receiver. */
  failuresMax?: number;
  /** Log fields for an item that was not acknowledged: ids only. */
  logFields?(item: Item): LogFields;
}

/**
 * Sends each item until its receiver has acknowledged it. New items are sent immediately, each by one call at a time.
 * Failed items are sent again together, with growing pauses, and do not hold up the others. Items are part of the
 * object's state; calls in flight are not. After `drain` the caller arms the object's alarm, which takes `dueAt` into
 * account.
 */
export class Outbox<Item extends object> {
  readonly #options: OutboxOptions<Item>;
  readonly #inFlight = new Map<Item, Promise<boolean>>();
  readonly #failed = new Set<Item>();
  /** Counted since the last acknowledgement or the end of the last pause. */
  #failuresInARow = 0;
  /** The number of rounds of failures; items that fail together count once. */
  #failures = 0;
  #retryAt = 0;
  /** When items in flight are sent again if the object ends before they are acknowledged. */
  #safetyAt = 0;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(options: OutboxOptions<Item>) {
    this.#options = options;
  }

  get #isReceiverAway(): boolean {
    return this.#failuresInARow >= (this.#options.failuresMax ?? Infinity);
  }

  isSending(item: Item): boolean {
    return this.#inFlight.has(item);
  }

  /** When pending items are due (epoch ms); null without items. */
  dueAt(): number | null {
    const { size } = this.#options.pending();
    if (size === 0) return null;
    if (this.#inFlight.size > 0) return this.#safetyAt;
    return this.#failed.size < size && !this.#isReceiverAway ? 0 : this.#retryAt;
  }

  /** Sends the pending items, except those that still pause. Resolves when nothing is in flight. Never throws. */
  drain(): Promise<void> {
    const { now, pending } = this.#options;
    if (this.#retryAt <= now()) {
      this.#failed.clear();
      this.#failuresInARow = 0;
    }
    for (const item of pending()) {
      if (this.#inFlight.size >= CALLS_AT_ONCE || this.#isReceiverAway) break;
      if (this.#inFlight.has(item) || this.#failed.has(item)) continue;
      void this.send(item);
    }
    if (this.#inFlight.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  /** Sends one item now; false when it was not acknowledged. A call for an item in flight shares that call's outcome. */
  send(item: Item, send = (each: Item) => this.#options.send(each)): Promise<boolean> {
    const known = this.#inFlight.get(item);
    if (known !== undefined) return known;
    this.#safetyAt = this.#options.now() + RETRY_LONGEST_MS;
    const sending = this.#isAcknowledged(item, send).then((isAcknowledged) => {
      this.#sent(item, isAcknowledged);
      return isAcknowledged;
    });
    this.#inFlight.set(item, sending);
    return sending;
  }

  #sent(item: Item, isAcknowledged: boolean): void {
    const now = this.#options.now();
    this.#inFlight.delete(item);
    this.#failuresInARow = isAcknowledged ? 0 : this.#failuresInARow + 1;
    if (isAcknowledged) this.#failed.delete(item);
    else if (this.#options.pending().has(item)) {
      // Items that fail together count once.
      if (this.#retryAt <= now) {
        this.#failures += 1;
        this.#retryAt = now + Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** (this.#failures - 1));
      }
      this.#failed.add(item);
    }
    void this.drain();
    if (this.#inFlight.size > 0) return;
    if (this.#failed.size === 0) this.#failures = 0;
    this.#idle?.resolve();
    this.#idle = null;
  }

  async #isAcknowledged(item: Item, send: (item: Item) => Promise<void>): Promise<boolean> {
    try {
      await send(item);
      return true;
    } catch (error) {
      const fields = { ...this.#options.logFields?.(item), error: failureMessage(error) };
      logWarning("a message between objects was not acknowledged; it is sent again", fields);
      return false;
    }
  }
}

/** Processes `items`, at most `width` at a time. The answers keep the order of the items. */
export async function inBatches<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let i = 0; i < items.length; i += width) {
    answers.push(...(await Promise.all(items.slice(i, i + width).map(work))));
  }
  return answers;
}
