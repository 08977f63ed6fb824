import { logError } from "../../services/log.ts";

/** The part of a Durable Object's storage that an alarm needs. */
export interface AlarmStorage {
  setAlarm(atMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/** The state from which an alarm is computed. */
export interface AlarmState {
  /** Epoch milliseconds. */
  now(): number;
  /** When the object next has work to do (epoch ms); null for never. */
  dueAt(): number | null;
}

/** The delay of the safety alarm, which rings if the object ends in the middle of its work. */
const SAFETY_MS = 30_000;
/** The shortest time between two alarms, so that a fault cannot make them ring without a pause. */
const ALARMS_APART_MS = 20;
const FAILED_ALARMS_APART_MS = 1_000;

/**
 * An object's only alarm, computed from its state: call `arm` after every change of that state, and `ring` in the
 * object's `alarm()`. Setting an alarm is a write, so `arm` only ever moves it to an earlier time. An alarm that finds
 * nothing due sets the next one.
 */
export class ObjectAlarm {
  readonly #storage: AlarmStorage;
  readonly #state: AlarmState;
  /** Null while no alarm is set. */
  #at: number | null;

  /** `armedAt` is the alarm that the storage holds when the object is loaded (epoch ms); null for none. */
  constructor(storage: AlarmStorage, state: AlarmState, armedAt: number | null) {
    this.#storage = storage;
    this.#state = state;
    // An overdue alarm is about to ring; setting another one here would cancel it.
    this.#at = armedAt === null ? null : Math.max(armedAt, state.now());
  }

  /** Ensures that the alarm rings when something is due, or earlier. */
  arm(): void {
    const dueAt = this.#state.dueAt();
    if (dueAt === null) return;
    const now = this.#state.now();
    const at = Math.max(dueAt, now);
    // An alarm that should have rung long ago does not count.
    const isSet = this.#at !== null && this.#at <= at && this.#at > now - SAFETY_MS;
    if (!isSet) this.#setUnawaited(at);
  }

  /**
   * Does the due work. Sets the next alarm before and after it (docs/design/dispatch.md#alarms). Rejects only when the
   * next alarm could not be set, so that the platform rings again. `safetyMs` is null for work that completes in one
   * turn, which nothing can interrupt.
   */
  async ring(work: () => Promise<void>, safetyMs: number | null = this.#isDue() ? SAFETY_MS : null): Promise<void> {
    this.#at = null;
    if (safetyMs !== null) this.#setUnawaited(this.#state.now() + safetyMs);
    let pauseMs = ALARMS_APART_MS;
    try {
      await work();
    } catch (error) {
      pauseMs = FAILED_ALARMS_APART_MS;
      logError("the work of an alarm failed; it is tried again", { error: String(error) });
    }
    const dueAt = this.#state.dueAt();
    if (dueAt !== null) await this.#set(Math.max(dueAt, this.#state.now() + pauseMs));
    else if (this.#at !== null) await this.#delete();
  }

  #isDue(): boolean {
    const dueAt = this.#state.dueAt();
    return dueAt !== null && dueAt <= this.#state.now();
  }

  /** The platform holds back answers until the alarm is on disk, so callers do not wait for it here. */
  #setUnawaited(at: number): void {
    this.#set(at).catch((error: unknown) => logError("an object's alarm could not be set", { error: String(error) }));
  }

  async #set(at: number): Promise<void> {
    if (this.#at === at) return;
    this.#at = at;
    try {
      await this.#storage.setAlarm(at);
    } catch (error) {
      if (this.#at === at) this.#at = null;
      throw error;
    }
  }

  async #delete(): Promise<void> {
    this.#at = null;
    await this.#storage.deleteAlarm();
  }
}
