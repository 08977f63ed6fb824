import { logError } from "../../services/log.ts";

/** The part of a Durable Object's storage that an alarm needs. */
export interface AlarmStorage {
  setAlarm(atMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/** What an alarm is computed from. */
export interface AlarmState {
  /** Epoch milliseconds. */
  now(): number;
  /** When the object next has something to do by itself (epoch ms); null when never. */
  dueAt(): number | null;
}

/** Should the object end in the middle of its alarm's work, the next alarm rings after this. */
const SAFETY_MS = 30_000;
/** No fault may make an alarm ring without a pause. */
const ALARMS_APART_MS = 20;
const FAILED_ALARMS_APART_MS = 1_000;

/**
 * The one alarm of an object, computed from its state: `arm` after every change of that state, `ring` as the object's
 * `alarm()`. Setting an alarm is a write, so it is only ever moved to an earlier time: one that rings with nothing due
 * finds out when to ring next.
 */
export class ObjectAlarm {
  readonly #storage: AlarmStorage;
  readonly #state: AlarmState;
  /** Null while none is set. */
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
   * Does the work that is due. Sets the next alarm before and after: the platform drops an alarm after six failures.
   * Rejects only when not even the next alarm could be set, so that the platform rings again. `safetyMs` is null for work
   * that one turn completes, which nothing can interrupt.
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

  /** The platform holds answers back until the alarm is on disk: no caller has to wait for it here. */
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
