/** A number with one significant digit, at or just above the highest value; at least 1. */
export function roundMax(highest: number): number {
  if (highest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 2, 4, 6, 8].find((step) => step * power >= highest) ?? 10) * power;
}

/** The labels of a chart's axis from the top down: three, or two when the half is not a whole number. */
export function ticks(max: number): number[] {
  return max % 2 === 0 ? [max, max / 2, 0] : [max, 0];
}

/** A value's distance from the top of a chart that is 100 high. */
export function heightOf(value: number, max: number): number {
  return Math.round((1 - value / max) * 10_000) / 100;
}

/**
 * The SVG path of a line with gaps where values are missing. Both axes go from 0 to 100; `x` is the middle of a bucket.
 * A value without neighbours is a dash as wide as its bucket, because a point would be invisible.
 */
export function linePath(values: readonly (number | null)[], max: number): string {
  const width = 100 / values.length;
  return values
    .map((value, index) => {
      if (value === null) return "";
      const y = heightOf(value, max);
      const x = (index + 0.5) * width;
      if (typeof values[index - 1] === "number") return `L${round(x)} ${y}`;
      if (typeof values[index + 1] === "number") return `M${round(x)} ${y}`;
      return `M${round(x - width / 2)} ${y}L${round(x + width / 2)} ${y}`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
