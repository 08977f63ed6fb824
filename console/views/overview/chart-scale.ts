/** A number with one digit and noughts that is not below the highest value, and not far above; at least 1. */
export function roundMax(highest: number): number {
  if (highest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 2, 4, 6, 8].find((step) => step * power >= highest) ?? 10) * power;
}

/** What stands at the side of a chart, from the top down: three lines, or two where there is no whole number between. */
export function ticks(max: number): number[] {
  return max % 2 === 0 ? [max, max / 2, 0] : [max, 0];
}

/** Where a value lies in a chart that is 100 high, measured from its top. */
export function heightOf(value: number, max: number): number {
  return Math.round((1 - value / max) * 10_000) / 100;
}

/**
 * Points of a line that is broken where there is no value, as parts of an SVG path: `x` in the middle of each bucket, both
 * from 0 to 100. One value alone is a dash as wide as its bucket: a point would not be seen.
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
