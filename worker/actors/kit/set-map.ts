/** A map from keys to sets. A key without members does not exist. */
export class SetMap<T> {
  readonly #sets = new Map<string, Set<T>>();

  get size(): number {
    return this.#sets.size;
  }

  get(key: string): ReadonlySet<T> | undefined {
    return this.#sets.get(key);
  }

  keys(): string[] {
    return [...this.#sets.keys()];
  }

  add(key: string, member: T): void {
    const known = this.#sets.get(key);
    if (known === undefined) this.#sets.set(key, new Set([member]));
    else known.add(member);
  }

  delete(key: string, member: T): void {
    const known = this.#sets.get(key);
    known?.delete(member);
    if (known?.size === 0) this.#sets.delete(key);
  }
}
