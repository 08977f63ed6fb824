/** The source of time. Tests provide their own. */
export interface Clock {
  /** Wall time, epoch milliseconds. */
  now(): number;
  /** Milliseconds that never jump when the clock is set. They may pause while the machine sleeps. */
  monotonicMs(): number;
}

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() };

export interface Moment {
  wallMs: number;
  monotonicMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { wallMs: clock.now(), monotonicMs: clock.monotonicMs() };
}

/**
 * Milliseconds since `moment`, by the clock that shows more: the wall clock notices a sleeping machine, the monotonic
 * clock notices a wall clock that was set back. An error of either clock means "too late", which only delays.
 */
export function elapsedMs(clock: Clock, moment: Moment): number {
  return Math.max(clock.now() - moment.wallMs, clock.monotonicMs() - moment.monotonicMs, 0);
}

/** Waits. Returns early, without an error, when `signal` is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}

/** Waits for work that takes no signal. Stops waiting, without an error, when `signal` is aborted. */
export function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => resolve();
    signal.addEventListener("abort", done, { once: true });
    void work.finally(() => {
      signal.removeEventListener("abort", done);
      resolve();
    });
  });
}
