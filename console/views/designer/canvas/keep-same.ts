/**
 * Gives lists in which whatever says the same as in the list before is the same object. React Flow draws anew what is
 * another object: of a hundred nodes, typing in the form of one draws one.
 */
export function keepSame<T extends { id: string }>(): (list: readonly T[]) => T[] {
  let before = new Map<string, T>();
  return (list) => {
    const kept = list.map((one) => {
      const known = before.get(one.id);
      return known !== undefined && saysTheSame(known, one) ? known : one;
    });
    before = new Map(kept.map((one) => [one.id, one]));
    return kept;
  };
}

function saysTheSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other]: [Record<string, unknown>, Record<string, unknown>] = [{ ...a }, { ...b }];
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && saysTheSame(one[key], other[key]))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
