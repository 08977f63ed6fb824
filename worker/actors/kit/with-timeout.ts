/**
 * The outcome of `work`, or a failure after `limitMs`. The work itself goes on: it must be one that may be repeated or left
 * alone (services/ports.ts).
 */
export async function withTimeout<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} took longer than ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
