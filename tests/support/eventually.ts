/**
 * Polls every few milliseconds until `probe` returns something other than undefined/false/null. Fails with the last
 * error, or with `what`, after `withinMs`: a limit that only a broken system reaches.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  withinMs = 60_000,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + withinMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (isThere(value)) return value;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`gave up after ${withinMs} ms waiting for: ${what}`, { cause: lastError });
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function isThere<T>(value: T): value is Exclude<T, undefined | null | false> {
  return value !== undefined && value !== null && value !== false;
}
