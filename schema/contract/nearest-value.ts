const NEAR = 2;

/** The nearest value within two edits of the given one, ignoring case; null without one. */
export function nearestValue(values: readonly string[], given: unknown): string | null {
  const [best = null] = nearValues(values, given);
  return best;
}

/** The values within two edits of the given one, ignoring case, the nearest first. */
export function nearValues(values: readonly string[], given: unknown): string[] {
  if (typeof given !== "string") return [];
  return values
    .map((value) => ({ value, distance: editDistance(value.toLowerCase(), given.toLowerCase()) }))
    .filter(({ value, distance }) => isNear(value, distance))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ value }) => value);
}

/** A short word with half its letters changed is no typing error. */
function isNear(value: string, distance: number): boolean {
  return distance <= NEAR && distance < value.length / 2;
}

/** " Did you mean …?", to follow a sentence; empty when no value is near. */
export function didYouMean(values: readonly string[], given: unknown): string {
  const meant = nearestValue(values, given);
  return meant === null ? "" : ` Did you mean ${meant}?`;
}

/** The number of inserted, removed or replaced letters; any number above `NEAR` when it is surely more than that. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > NEAR) return NEAR + 1;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    if (Math.min(...next) > NEAR) return NEAR + 1;
    row = next;
  }
  return row.at(-1) ?? 0;
}
