const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Does what must not be left half-way: from the swap of the executable until the new one is registered, or the one before
 * is back. Ctrl-C, and a terminal that is closed, then end nothing; `say` is told so.
 */
export async function withoutInterruption<T>(say: (line: string) => void, work: () => Promise<T>): Promise<T> {
  const hold = (): void => say("finishing what is begun, which takes two minutes at the most: it is not left half-way");
  // Nobody may be left to read what is said.
  const ignore = (): void => undefined;
  for (const signal of SIGNALS) process.on(signal, hold);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignore);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, hold);
    for (const stream of [process.stdout, process.stderr]) stream.off("error", ignore);
  }
}
