/**
 * The precedence of Semantic Versioning 2.0.0 (section 11): negative when `one` is older than `other`, 0 when they are
 * equal. Both are versions as the release's contract defines them.
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [split(one), split(other)];
  for (const [index, number] of a.core.entries()) {
    const difference = number - (b.core[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A version without a suffix is newer than one with a suffix.
  if (a.suffix.length === 0 || b.suffix.length === 0) return b.suffix.length - a.suffix.length;
  for (const [index, part] of a.suffix.entries()) {
    const against = b.suffix[index];
    if (against === undefined) return 1;
    const difference = compareParts(part, against);
    if (difference !== 0) return difference;
  }
  return a.suffix.length - b.suffix.length;
}

function split(version: string): { core: number[]; suffix: string[] } {
  const dash = version.indexOf("-");
  const core = dash === -1 ? version : version.slice(0, dash);
  return { core: core.split(".").map(Number), suffix: dash === -1 ? [] : version.slice(dash + 1).split(".") };
}

/** Numbers come before words, in numeric order. */
function compareParts(one: string, other: string): number {
  const [oneIsNumber, otherIsNumber] = [/^\d+$/u.test(one), /^\d+$/u.test(other)];
  if (oneIsNumber && otherIsNumber) return Number(one) - Number(other);
  if (oneIsNumber !== otherIsNumber) return oneIsNumber ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}
