const NEAR = 2;

/** The nearest value within two edits of the given one, ignoring case; null without one. */
export function nearestValue(values: readonly string[], given: unknown): string | null {
  if (typeof given !== "string") return null;
  let best: { value: string; distance: number } | null = null;
  for (const value of values) {
    const distance = editDistance(value.toLowerCase(), given.toLowerCase());
    // A short word with half its letters changed is no typing error.
    if (distance > NEAR || distance >= value.length / 2) continue;
    if (best === null || distance < best.distance) best = { value, distance };
  }
  return best === null ? null : best.value;
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
    row = next;
  }
  return row.at(-1) ?? 0;
}
