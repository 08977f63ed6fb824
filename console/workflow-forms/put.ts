/** An object with some members changed. Members set to undefined are removed, as in JSON. */
export function put<T extends object>(object: T, change: Partial<T>): T {
  const changed = { ...object, ...change };
  for (const [name, value] of Object.entries(change)) if (value === undefined) Reflect.deleteProperty(changed, name);
  return changed;
}
