import { SortedList } from "./sorted-list.ts";

interface Due {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** When each of many things is due, the earliest first. */
export class DueTimes {
  readonly #byKey = new Map<string, Due>();
  readonly #inOrder = new SortedList<Due>((a, b) => a.at - b.at || compareKeys(a.key, b.key));

  /** When the first is due (epoch ms); null when nothing is. */
  get earliest(): number | null {
    return this.#inOrder.first?.at ?? null;
  }

  /** Takes the place of what was said of `key` before; null for never. */
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

  /** What is due by `now`; it stands no longer in the list. */
  takeDue(now: number): string[] {
    const taken: string[] = [];
    for (let first = this.#inOrder.first; first !== undefined && first.at <= now; first = this.#inOrder.first) {
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
