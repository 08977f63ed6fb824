import { SortedList } from "./sorted-list.ts";

interface Due {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** When each of many keys is due, the earliest first. */
export class DueTimes {
  readonly #byKey = new Map<string, Due>();
  readonly #inOrder = new SortedList<Due>((a, b) => a.at - b.at || compareKeys(a.key, b.key));

  /** The first due time (epoch ms); null when nothing is due. */
  get earliest(): number | null {
    return this.#inOrder.first?.at ?? null;
  }

  /** Replaces the time of `key`; null for never. */
  set(key: string, at: number | null): void {
    const known = this.#byKey.get(key);
    if (known?.at === at) return;
    if (known !== undefined) {
      this.#inOrder.delete(known);
      this.#byKey.delete(key);
    }
    if (at === null) return;
    const due = { key, at };
    this.#byKey.set(key, due);
    this.#inOrder.add(due);
  }

  /** Removes and returns the keys that are due by `now`, the earliest `most` of them. */
  takeDue(now: number, most = Infinity): string[] {
    const taken: string[] = [];
    for (
      let first = this.#inOrder.first;
      first !== undefined && first.at <= now && taken.length < most;
      first = this.#inOrder.first
    ) {
      this.set(first.key, null);
      taken.push(first.key);
    }
    return taken;
  }
}

function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
