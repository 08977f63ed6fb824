import { GATE_LOOK_AGAIN_MS } from "../../domain/gate-alarm.ts";

/**
 * Remembers in memory when the object's one alarm rings, so that it is set (a write, in two databases) only when it
 * has to ring earlier.
 */
export class GateTimer {
  readonly #setAlarm: (atMs: number) => Promise<void> | void;
  readonly #now: () => number;
  #at: number | null = null;

  constructor(setAlarm: (atMs: number) => Promise<void> | void, now: () => number) {
    this.#setAlarm = setAlarm;
    this.#now = now;
  }

  /** What the storage says when the object wakes up; one that is overdue is about to ring. */
  found(at: number | null): void {
    this.#at = at === null ? null : Math.max(at, this.#now());
  }

  rang(): void {
    this.#at = null;
  }

  /** Rings at `at` or earlier. */
  arm(at: number): void {
    const now = this.#now();
    // One that should have rung long ago is not relied on.
    if (this.#at !== null && this.#at <= at && this.#at > now - GATE_LOOK_AGAIN_MS) return;
    // Not awaited: the platform holds every answer back until it is on disk, and resets the object if that fails.
    void this.#setAlarm(at);
    this.#at = at;
  }
}
