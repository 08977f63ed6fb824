const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs work that must not be interrupted: from the swap of the executable until the new one has registered, or the old
 * one is restored. Ctrl-C and a closed terminal do not end the process; `say` explains that.
 */
export async function withoutInterruption<T>(say: (line: string) => void, work: () => Promise<T>): Promise<T> {
  const hold = (): void => say("the update is finished first, which takes two minutes at most");
  // The terminal may be gone.
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
