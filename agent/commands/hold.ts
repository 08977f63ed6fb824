const SIGNALS = ["SIGINT", "SIGTERM", ...(process.platform === "win32" ? (["SIGBREAK"] as const) : [])] as const;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Waits for a signal instead of ending, for a service manager that would start the process again. */
export function holdUntilSignal(): Promise<void> {
  return new Promise((resolve) => {
    // A promise alone keeps no process alive.
    const timer = setInterval(() => undefined, DAY_MS);
    for (const signal of SIGNALS) {
      process.once(signal, () => {
        clearInterval(timer);
        resolve();
      });
    }
  });
}
