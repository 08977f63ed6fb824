import type { Pool } from "./pool.ts";

/** Between two calls of a caller that goes on waiting: a call between objects must not last for ever. */
const WAIT_MAX_MS = 30_000;

/** Answers when a job is over here, or was never here, or after `ms`, whichever is first. */
export async function waitForEnd(pool: Pool, jobId: string, ms: number): Promise<void> {
  if (pool.jobs.get(jobId) === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopListening = pool.jobs.onFinished(jobId, resolve);
  const timer = setTimeout(resolve, Math.min(ms, WAIT_MAX_MS));
  await promise;
  clearTimeout(timer);
  stopListening();
}
