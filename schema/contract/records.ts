/** What TypeScript does not say of objects whose keys are known. */

/** The keys of a constant, which has no others. */
export function keysOf<T extends object>(constant: T): (keyof T & string)[] {
  return Object.keys(constant) as (keyof T & string)[];
}

/** One member of each value. */
export function pluck<K extends string, T extends Readonly<Record<string, Readonly<Record<K, unknown>>>>>(
  of: T,
  member: K,
): { readonly [P in keyof T]: T[P][K] } {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, value[member]])) as {
    [P in keyof T]: T[P][K];
  };
}

/** A list of something that is known not to be empty. */
export function ofOneAtLeast<T>(list: readonly T[]): [T, ...T[]] {
  return list as [T, ...T[]];
}
