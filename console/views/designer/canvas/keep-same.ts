/**
 * Returns each list with the objects of the list before wherever an item is deeply equal, and that list itself when all
 * are. React Flow renders an item again only when its object changes: typing in one node's form renders one node, not
 * all of them. A new list of edges has it connect all nodes again.
 */
export function keepSame<T extends { id: string }>(): (list: readonly T[]) => T[] {
  let before: T[] = [];
  let byId = new Map<string, T>();
  return (list) => {
    const kept = list.map((one) => {
      const known = byId.get(one.id);
      return known !== undefined && isEqual(known, one) ? known : one;
    });
    if (kept.length === before.length && kept.every((one, index) => one === before[index])) return before;
    before = kept;
    byId = new Map(kept.map((one) => [one.id, one]));
    return kept;
  };
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other]: [Record<string, unknown>, Record<string, unknown>] = [{ ...a }, { ...b }];
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
