import { jobEnded } from "../shared/failures.ts";

/** The runner waits 10 s for a job that it stopped; asking the server takes up to 3 s of them. */
const END_WAIT_MS = 4_000;
/** The agent's own limit comes first, so that it can say what happened; the server's is there if the agent is gone. */
export const SERVER_LIMIT_EXTRA_MS = 5_000;

/**
 * Waits for a statement. When the job is stopped, `cancel` is asked to end it on the server; what the statement then
 * comes to, also a success in the last moment, is the outcome. Throws `job_ended` when the server does not answer, and
 * what `cancel` throws, because the server refused, at once.
 */
export async function endedBy<T>(signal: AbortSignal, running: Promise<T>, cancel: () => Promise<void>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  // When the statement ends first, nobody waits for this.
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
        "The server was asked to cancel the statement, but did not confirm it: the statement may still run there, and may be carried out. Look before you run it again.";
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
