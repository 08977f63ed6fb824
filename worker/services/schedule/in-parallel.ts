/** Works through a list in order, at most `atOnce` items in parallel; begins no further item once `enough` is true. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  enough: () => boolean,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const lane = async () => {
    for (const item of queue) {
      await work(item);
      if (enough()) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
}
