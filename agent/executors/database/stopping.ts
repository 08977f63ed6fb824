import { jobEnded } from "../shared/failures.ts";

/** The runner waits 10 s for a stopped job. The cancel request takes up to 3 s of them. */
const END_WAIT_MS = 4_000;
/** The agent's limit comes first, so that the agent can report it. The server's is for an agent that is gone. */
export const SERVER_LIMIT_EXTRA_MS = 5_000;

/**
 * Waits for a statement. When the job is stopped, `cancel` asks the server to end the statement. The statement's result
 * is the outcome then, even a late success. Throws `job_ended` when the server does not answer. Rethrows an error of
 * `cancel` immediately, because the server refused.
 */
export async function endedBy<T>(signal: AbortSignal, running: Promise<T>, cancel: () => Promise<void>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  // Not awaited when the statement ends first.
  promise.catch(() => undefined);
  running.catch(() => undefined);
  let timer: Timer | undefined;
  const stop = async (): Promise<void> => {
    try {
      await cancel();
    } catch (refusal) {
      reject(refusal);
      return;
    }
    timer = setTimeout(() => {
      const message =
        "The server was asked to cancel the statement, but did not confirm it: the statement may still run there, and may be carried out. Check before you run it again.";
      reject(jobEnded(message));
    }, END_WAIT_MS);
  };
  const onAbort = (): void => void stop();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([running, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
