import type { Pool } from "./pool.ts";

/** Between two calls of a caller that goes on waiting: a call between objects must not last for ever. */
const WAIT_MAX_MS = 30_000;

/** A job went on from here, and libSQL may not say so yet: whoever looks there must not ask again at once. */
const MOVED_WAIT_MS = 500;

/** Answers when a job is over here, or was never here, or after `ms`, whichever is first; a little later when it moved on. */
export async function waitForEnd(pool: Pool, jobId: string, ms: number): Promise<void> {
  const live = pool.jobs.get(jobId);
  if (live === undefined) {
    if (pool.jobs.sentOnTo(jobId) !== null) await after(Math.min(ms, MOVED_WAIT_MS));
    return;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopListening = pool.jobs.onFinished(jobId, resolve);
  const timer = setTimeout(resolve, Math.min(ms, WAIT_MAX_MS));
  await promise;
  clearTimeout(timer);
  stopListening();
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
