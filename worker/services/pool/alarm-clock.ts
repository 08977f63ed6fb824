/** The part of a Durable Object's storage that an alarm needs. */
export interface AlarmStorage {
  setAlarm(atMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/** The one alarm that an object has. Setting it is a write, so it is moved only when something is due earlier. */
export class AlarmClock {
  readonly #storage: AlarmStorage;
  readonly #failed: (error: unknown) => void;
  /** Null while none is set, or it is not known whether one is. */
  #at: number | null = null;

  constructor(storage: AlarmStorage, failed: (error: unknown) => void) {
    this.#storage = storage;
    this.#failed = failed;
  }

  /** Takes over what is set already (epoch ms); null when nothing is. */
  adopt(at: number | null): void {
    this.#at = at;
  }

  /** Rings at `at` (epoch ms) or earlier. */
  by(at: number): void {
    if (this.#at === null || at < this.#at) this.set(at);
  }

  /** Rings at `at`, or not at all. */
  set(at: number | null): void {
    if (this.#at === at) return;
    this.#at = at;
    const written = at === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(at);
    written.catch((error: unknown) => {
      this.#at = null;
      this.#failed(error);
    });
  }

  /** An alarm that rang is no longer set. */
  rang(): void {
    this.#at = null;
  }
}
