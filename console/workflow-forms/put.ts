/** An object with some members changed; those that become undefined are not there any more, as JSON has it. */
export function put<T extends object>(object: T, change: Partial<T>): T {
  const changed = { ...object, ...change };
  for (const [name, value] of Object.entries(change)) if (value === undefined) Reflect.deleteProperty(changed, name);
  return changed;
}
