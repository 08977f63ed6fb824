/** The changes from `before` to `after`: `-` removed, `+` added, two spaces unchanged (only next to a change). */
export function lineDiff(before: string, after: string): string[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const common = commonLengths(old, now);
  const lines: { mark: " " | "-" | "+"; text: string }[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [oldLine, newLine] = [old[i], now[j]];
    if (oldLine !== undefined && oldLine === newLine) {
      lines.push({ mark: " ", text: oldLine });
      i++;
      j++;
    } else if (
      newLine === undefined ||
      (oldLine !== undefined && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))
    ) {
      lines.push({ mark: "-", text: oldLine ?? "" });
      i++;
    } else {
      lines.push({ mark: "+", text: newLine });
      j++;
    }
  }
  const near = (at: number) => [at - 1, at, at + 1].some((index) => (lines[index]?.mark ?? " ") !== " ");
  return lines.flatMap(({ mark, text }, at) => (near(at) ? [`${mark} ${text}`.trimEnd()] : []));
}

/** For each pair of positions, the longest common subsequence of the remaining lines. Units have some fifty lines. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => Array.from({ length: now.length + 1 }, () => 0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const row = lengths[i];
      const below = lengths[i + 1];
      if (row === undefined || below === undefined) continue;
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}
