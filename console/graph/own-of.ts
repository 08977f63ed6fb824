/** What an object of ids holds itself: `constructor` is an id like any other, and every object has one from the start. */
export function ownOf<T>(object: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(object, id) ? object[id] : undefined;
}
