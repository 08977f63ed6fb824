/** A map of at most `max` entries: setting one puts it last, and where there is no room the first goes. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    const first = this.keys().next();
    if (first.done !== true && this.size >= this.#max) this.delete(first.value);
    return super.set(key, value);
  }
}
