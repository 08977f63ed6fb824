/** What TypeScript does not say of objects whose keys are known. */

/** The keys of a constant, which has no others. */
export function keysOf<T extends object>(constant: T): (keyof T & string)[] {
  return Object.keys(constant) as (keyof T & string)[];
}

/** One member of each value, read when it is asked for: some are made at their first use. */
export function pluck<K extends string, T extends Readonly<Record<string, Readonly<Record<K, unknown>>>>>(
  of: T,
  member: K,
): { readonly [P in keyof T]: T[P][K] } {
  const members = Object.entries(of).map(([key, value]) => [key, { enumerable: true, get: () => value[member] }]);
  return Object.defineProperties({}, Object.fromEntries(members)) as { [P in keyof T]: T[P][K] };
}

/** Makes a value at its first use, and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** A list of something that is known not to be empty. */
export function ofOneAtLeast<T>(list: readonly T[]): [T, ...T[]] {
  return list as [T, ...T[]];
}

/** These members, in this order; undefined for one that is missing. */
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

/** The same members, each there: null for those that may be missing. */
export type Nulled<T> = { [K in keyof T]-?: Exclude<T[K], undefined> | (undefined extends T[K] ? null : never) };

export function nulled<T extends object>(object: T): Nulled<T> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, value ?? null])) as Nulled<T>;
}
