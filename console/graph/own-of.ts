/** An object's own value for an id, or undefined. Every object inherits `constructor`, which is a valid id. */
export function ownOf<T>(object: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(object, id) ? object[id] : undefined;
}
