/** The quantiles that latencies are shown by. */
const SHOWN = [0.5, 0.9, 0.99] as const;

/** The nearest-rank quantiles of some values; empty when there are none. */
export function quantiles(values: readonly number[]): { quantile: string; value: number }[] {
  const sorted = values.toSorted((a, b) => a - b);
  return SHOWN.flatMap((quantile) => {
    const value = sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)];
    return value === undefined ? [] : [{ quantile: String(quantile), value }];
  });
}
