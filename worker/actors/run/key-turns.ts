/**
 * One piece of work at a time for each concurrency key: between the decision that an execution may begin and its write,
 * no other is decided. Work without a key does not wait.
 */
export class KeyTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  async inTurn<T>(key: string | null, work: () => Promise<T>): Promise<T> {
    if (key === null) return work();
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    this.#last.set(key, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key);
    }
  }
}
