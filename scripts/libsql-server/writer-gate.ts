export type GateOutcome = "entered" | "timed-out" | "aborted" | "closed";

interface Waiter {
  owner: object;
  settle(outcome: GateOutcome): void;
}

/**
 * Lets one stream at a time write. SQLite has one writer per file, and waiting for it inside SQLite would stop this
 * process together with the very transaction it waits for; so streams queue here, first come first served.
 */
export class WriterGate {
  #holder: object | undefined;
  #isClosed = false;
  readonly #waiters = new Set<Waiter>();

  /** Whether `owner` may write at once; if so, it needs no gate for what it does before it gives up the thread. */
  isOpenTo(owner: object): boolean {
    return this.#holder === undefined || this.#holder === owner;
  }

  /** Takes the gate, which must be open to `owner`. */
  hold(owner: object): void {
    if (!this.isOpenTo(owner)) throw new Error("The writer gate is held by another stream");
    this.#holder = owner;
  }

  /** Queues for the gate. Only after "entered" does `owner` hold it, and must release it. */
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

  /** Hands the gate to the one that has waited longest. Does nothing when `owner` does not hold it. */
  release(owner: object): void {
    if (this.#holder !== owner) return;
    const [next] = this.#waiters;
    this.#holder = next?.owner;
    next?.settle("entered");
  }

  /** Sends everyone away who waits, and who comes to wait. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiters) waiter.settle("closed");
  }
}
