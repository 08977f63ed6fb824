const SHOWN = [0.5, 0.9, 0.99] as const;

/** The nearest-rank quantiles of the values; empty without values. */
export function quantiles(values: readonly number[]): { quantile: string; value: number }[] {
  const sorted = values.toSorted((a, b) => a - b);
  return SHOWN.flatMap((quantile) => {
    const value = nearestRank(sorted, quantile);
    return value === null ? [] : [{ quantile: String(quantile), value }];
  });
}

/** The smallest of ascending values that is not below this share of them; null without values. */
export function nearestRank(sorted: readonly number[], quantile: number): number | null {
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? null;
}
