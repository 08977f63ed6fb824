export type GateOutcome = "entered" | "timed-out" | "aborted" | "closed";

interface Waiter {
  owner: object;
  settle(outcome: GateOutcome): void;
}

/**
 * Admits one writing stream at a time, first come, first served. SQLite has one writer per file. A wait inside SQLite
 * would stop this process together with the transaction that it waits for, so streams queue here.
 */
export class WriterGate {
  #holder: object | undefined;
  #isClosed = false;
  readonly #waiters = new Set<Waiter>();

  /** Whether `owner` may write now. If so, it needs no gate for work that does not yield the thread. */
  isOpenTo(owner: object): boolean {
    return this.#holder === undefined || this.#holder === owner;
  }

  /** Takes the gate, which must be open to `owner`. */
  hold(owner: object): void {
    if (!this.isOpenTo(owner)) throw new Error("The writer gate is held by another stream");
    this.#holder = owner;
  }

  /** Queues for the gate. `owner` holds the gate only after "entered", and must then release it. */
  enter(owner: object, waitLimitMs: number, signal: AbortSignal): Promise<GateOutcome> {
    if (this.#isClosed) return Promise.resolve("closed");
    if (signal.aborted) return Promise.resolve("aborted");
    if (this.isOpenTo(owner)) {
      this.#holder = owner;
      return Promise.resolve("entered");
    }
    return new Promise((resolve) => {
      const onAbort = () => waiter.settle("aborted");
      const timer = setTimeout(() => waiter.settle("timed-out"), waitLimitMs);
      const waiter: Waiter = {
        owner,
        settle: (outcome) => {
          this.#waiters.delete(waiter);
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          resolve(outcome);
        },
      };
      signal.addEventListener("abort", onAbort);
      this.#waiters.add(waiter);
    });
  }

  /** Hands the gate to the stream that has waited longest. Does nothing when `owner` does not hold it. */
  release(owner: object): void {
    if (this.#holder !== owner) return;
    const [next] = this.#waiters;
    this.#holder = next?.owner;
    next?.settle("entered");
  }

  /** Rejects every stream that waits now or later. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.settle("closed");
  }
}
