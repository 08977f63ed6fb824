import { logWarning } from "../../services/log.ts";
import type { LogFields } from "../../services/log.ts";

const RETRY_FIRST_MS = 1_000;
const RETRY_LONGEST_MS = 30_000;
const CALLS_AT_ONCE = 16;

interface OutboxOptions<Item> {
  /** The items to be sent, which the object has stored. `send` removes an item from them when it was acknowledged. */
  pending(): Iterable<Item>;
  /** Rejects when the item was not acknowledged. May be called for an item that another call has just delivered. */
  send(item: Item): Promise<void>;
  /** Epoch milliseconds. */
  now(): number;
  /** What the log says of an item that was not acknowledged: ids only. */
  logFields?(item: Item): LogFields;
}

/**
 * Sends each item until its receiver has acknowledged it, with growing pauses. The items are part of the object's state;
 * what is in flight is not. One call at a time sends an item. After `drain` the caller arms the object's alarm, for which
 * `dueAt` counts.
 */
export class Outbox<Item extends object> {
  readonly #options: OutboxOptions<Item>;
  readonly #inFlight = new Map<Item, Promise<boolean>>();
  #failures = 0;
  /** 0 while the pending items were not tried yet. */
  #retryAt = 0;
  #draining: Promise<void> | null = null;
  #isAskedAgain = false;

  constructor(options: OutboxOptions<Item>) {
    this.#options = options;
  }

  isSending(item: Item): boolean {
    return this.#inFlight.has(item);
  }

  /**
   * When pending items are to be sent (epoch ms); null when there are none. Items in flight count, too: the object may end
   * before they are acknowledged.
   */
  dueAt(): number | null {
    return this.#isEmpty() ? null : this.#retryAt;
  }

  /**
   * Sends the pending items, unless a pause after failures goes on. A call while others are being sent waits for these, and
   * for what came meanwhile. Never throws.
   */
  drain(): Promise<void> {
    this.#isAskedAgain = true;
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = null;
    });
    return this.#draining;
  }

  async #drain(): Promise<void> {
    const { now, pending } = this.#options;
    while (this.#isAskedAgain && !this.#isEmpty() && !(this.#failures > 0 && this.#retryAt > now())) {
      this.#isAskedAgain = false;
      this.#retryAt = now() + RETRY_LONGEST_MS;
      const sent = await inBatches([...pending()], CALLS_AT_ONCE, (item) => this.send(item));
      this.#failures = sent.every(Boolean) ? 0 : this.#failures + 1;
      const pauseMs = Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** (this.#failures - 1));
      this.#retryAt = this.#failures === 0 ? 0 : now() + pauseMs;
    }
  }

  #isEmpty(): boolean {
    return this.#options.pending()[Symbol.iterator]().next().done === true;
  }

  /** Sends one item now; false when it was not acknowledged. A call for an item in flight shares that call's outcome. */
  send(item: Item, send = (each: Item) => this.#options.send(each)): Promise<boolean> {
    const known = this.#inFlight.get(item);
    if (known !== undefined) return known;
    const sending = this.#isAcknowledged(item, send).finally(() => this.#inFlight.delete(item));
    this.#inFlight.set(item, sending);
    return sending;
  }

  async #isAcknowledged(item: Item, send: (item: Item) => Promise<void>): Promise<boolean> {
    try {
      await send(item);
      return true;
    } catch (error) {
      const fields = { ...this.#options.logFields?.(item), error: String(error) };
      logWarning("a message between objects was not acknowledged; it is sent again", fields);
      return false;
    }
  }
}

/** Works through `items`, at most `width` at a time; the answers keep their order. */
export async function inBatches<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let i = 0; i < items.length; i += width) {
    answers.push(...(await Promise.all(items.slice(i, i + width).map(work))));
  }
  return answers;
}
