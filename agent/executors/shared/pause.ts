/** Waits, or throws the error of `ended` as soon as the job has to end. */
export async function pause(ms: number, signal: AbortSignal, ended: () => Error): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(ended());
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  await promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}
