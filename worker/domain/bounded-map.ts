/** A map of at most `max` entries. Setting an entry moves it to the end; a full map drops its first entry. */
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
