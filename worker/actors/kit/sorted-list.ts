/** The largest size of a block. An insertion moves the items of one block at most, however long the list is. */
const BLOCK_ITEMS = 128;

/**
 * Items in order. `compare` must be a strict order that never gives 0 for two different items. A field that it reads
 * may change only while the item is not in the list.
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  /** No block is empty. */
  readonly #blocks: T[][] = [];
  #size = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#blocks[0]?.[0];
  }

  *[Symbol.iterator](): Generator<T> {
    for (const block of this.#blocks) yield* block;
  }

  add(item: T): void {
    this.#size += 1;
    const at = Math.min(this.#blockOf(item), this.#blocks.length - 1);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push([item]);
      return;
    }
    block.splice(this.#placeIn(block, item), 0, item);
    if (block.length > BLOCK_ITEMS) this.#blocks.splice(at + 1, 0, block.splice(BLOCK_ITEMS / 2));
  }

  /** False when the item was not in the list. */
  delete(item: T): boolean {
    const at = this.#blockOf(item);
    const block = this.#blocks[at];
    if (block === undefined) return false;
    const place = this.#placeIn(block, item);
    const found = block[place];
    if (found === undefined || this.#compare(found, item) !== 0) return false;
    this.#size -= 1;
    block.splice(place, 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
    return true;
  }

  /** The first item after `item`, which need not be in the list; undefined at the end. */
  after(item: T): T | undefined {
    const comesAfter = (other: T | undefined) => other === undefined || this.#compare(other, item) > 0;
    const block = this.#blocks[firstWhere(this.#blocks, (each) => comesAfter(each.at(-1)))];
    return block?.[firstWhere(block, comesAfter)];
  }

  /** The index of the first block that does not end before this item. */
  #blockOf(item: T): number {
    return firstWhere(this.#blocks, (block) => {
      const last = block.at(-1);
      return last === undefined || this.#compare(last, item) >= 0;
    });
  }

  #placeIn(block: readonly T[], item: T): number {
    return firstWhere(block, (other) => this.#compare(other, item) >= 0);
  }
}

/** The first index at which `holds` is true, from where it must stay true; the length when there is none. */
function firstWhere<T>(items: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item === undefined || holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
