import type { ReceiverType } from "../../../schema/contract/notification-receiver.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { Delivery } from "./prepared.ts";

/** How long a channel may take to react to its aborted signal. */
const GIVING_UP_MS = 2_000;

export interface AttemptLimits {
  readonly limitMs: number;
  /** Stores the handover. Resolves with the remaining time of the attempt (ms). */
  noteHandover(): Promise<number>;
}

/** One attempt with its limits. Never throws. */
export async function sendOnce(
  delivery: Delivery<ReceiverType>,
  finished: ReadonlySet<string>,
  { limitMs, noteHandover }: AttemptLimits,
): Promise<ChannelAnswer> {
  const limit = new AttemptLimit(limitMs);
  const { signal } = limit;
  const attempt = {
    signal,
    noteHandover: async () => {
      signal.throwIfAborted();
      const moreMs = await noteHandover();
      signal.throwIfAborted();
      limit.set(moreMs);
    },
  };
  try {
    return await Promise.race([delivery.send(finished, attempt), limit.overdue]);
  } catch {
    return { type: "unknown", detail: "The attempt ended without an answer." };
  } finally {
    limit.clear();
  }
}

/** Aborts an attempt at its limit, and stops waiting for it a little later. */
class AttemptLimit {
  readonly overdue: Promise<never>;
  readonly #controller = new AbortController();
  readonly #reject: (error: Error) => void;
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(limitMs: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.overdue = promise;
    this.#reject = reject;
    this.set(limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the limit again from now. */
  set(limitMs: number): void {
    this.clear();
    const late = new DOMException("It took too long.", "TimeoutError");
    this.#timers = [
      setTimeout(() => this.#controller.abort(late), limitMs),
      setTimeout(() => this.#reject(late), limitMs + GIVING_UP_MS),
    ];
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
