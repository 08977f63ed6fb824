/**
 * The outcome of `work`, or a failure after `limitMs`. The work is not stopped, so it must be safe to repeat or to
 * leave alone (services/ports.ts).
 */
export async function withTimeout<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  return race(limitMs, work, ({ reject }) => reject(new Error(`${what} took longer than ${limitMs} ms`)));
}

/** Resolves when `work` does, or after `limitMs`; rejects when `work` rejects earlier. The work is not stopped. */
export async function waitAtMost(limitMs: number, work: Promise<unknown>): Promise<void> {
  await race<unknown>(limitMs, work, ({ resolve }) => resolve(undefined));
}

async function race<T>(limitMs: number, work: Promise<T>, end: (late: PromiseWithResolvers<T>) => void): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => end(late), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
