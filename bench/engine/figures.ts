/** The distribution of a series of measurements, in milliseconds. */
export interface Latency {
  samples: number;
  p50Ms: number;
  p99Ms: number;
}

export function latencyOf(valuesMs: readonly number[]): Latency {
  const sorted = valuesMs.toSorted((a, b) => a - b);
  return { samples: sorted.length, p50Ms: at(sorted, 0.5), p99Ms: at(sorted, 0.99) };
}

export function medianOf(values: readonly number[]): number {
  return percentileOf(values, 0.5);
}

export function percentileOf(values: readonly number[], share: number): number {
  return at(
    values.toSorted((a, b) => a - b),
    share,
  );
}

/** The duration of `work` in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/**
 * Calls `work` with every number below `count`, on `lanes` concurrent lanes: each lane takes the next number when it is
 * free.
 */
export async function onLanes(
  lanes: number,
  count: number,
  work: (index: number, lane: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (next < count) {
        const index = next;
        next += 1;
        await work(index, lane);
      }
    }),
  );
}

/** The item at `index`, starting over at the end of the list. */
export function pick<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("there is nothing to pick from");
  return found;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
