/** Typed helpers for objects with known keys. */

/** The keys of a constant, which has no others. */
export function keysOf<T extends object>(constant: T): (keyof T & string)[] {
  return Object.keys(constant) as (keyof T & string)[];
}

/** One member of each value, read on access: some are made at their first use. */
export function pluck<K extends string, T extends Readonly<Record<string, Readonly<Record<K, unknown>>>>>(
  of: T,
  member: K,
): { readonly [P in keyof T]: T[P][K] } {
  const members = Object.entries(of).map(([key, value]) => [key, { enumerable: true, get: () => value[member] }]);
  return Object.defineProperties({}, Object.fromEntries(members)) as { [P in keyof T]: T[P][K] };
}

/** Makes a value at its first use, and caches it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Types a list as non-empty; the caller knows that it is. */
export function ofOneAtLeast<T>(list: readonly T[]): [T, ...T[]] {
  return list as [T, ...T[]];
}

/** These members, in this order; undefined for a missing one. */
export function pick<T extends object, K extends keyof T & string>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

export function filtered<T extends object>(
  object: T,
  keeps: (value: unknown, key: keyof T & string) => boolean,
): Partial<Pick<T, keyof T & string>> {
  return pick(
    object,
    keysOf(object).filter((key) => keeps(object[key], key)),
  );
}

/** The same members, all present: null for optional ones. */
export type Nulled<T> = { [K in keyof T]-?: Exclude<T[K], undefined> | (undefined extends T[K] ? null : never) };

export function nulled<T extends object>(object: T): Nulled<T> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, value ?? null])) as Nulled<T>;
}

/** The same keys with other values. fromEntries defines own properties, also one that is called __proto__. */
export function mapValues<V, W>(
  object: Readonly<Record<string, V>>,
  change: (value: V, key: string) => W,
): Record<string, W> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
