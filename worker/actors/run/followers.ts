const WAIT_MS = 20_000;

/** Those who follow executions: each waits for the next revision of one, for some 20 s at most. */
export class Followers {
  readonly #waiting = new Map<string, Set<(revision: number) => void>>();

  /**
   * The revision once it is above `after`, or what it is when nothing changed for a while; null when there is no such
   * execution. `revisionOf` reads the present one.
   */
  async next(executionId: string, after: number, revisionOf: () => Promise<number | null>): Promise<number | null> {
    const waiters = this.#waiting.get(executionId) ?? new Set();
    this.#waiting.set(executionId, waiters);
    const { promise, resolve } = Promise.withResolvers<number>();
    const changed = (revision: number) => revision > after && resolve(revision);
    // Before looking: what changes meanwhile is not missed.
    waiters.add(changed);
    const timer = setTimeout(() => resolve(after), WAIT_MS);
    try {
      const present = await revisionOf();
      return present === null || present > after ? present : await promise;
    } finally {
      clearTimeout(timer);
      waiters.delete(changed);
      if (waiters.size === 0) this.#waiting.delete(executionId);
    }
  }

  changed(executionId: string, revision: number): void {
    for (const waiter of this.#waiting.get(executionId) ?? []) waiter(revision);
  }
}
