import { DueTimes } from "../kit/due-times.ts";

const PREFIX = "wake:";
const RETRY_MS = 10_000;

/** The part of a Durable Object's storage that the times need. */
export interface WakeStorage {
  kv: {
    list<T>(options: { prefix: string }): Iterable<[string, T]>;
    put<T>(key: string, value: T): void;
    delete(key: string): boolean;
  };
}

/** When executions need attention, kept over a restart. While no execution waits for a time, nothing is written. */
export class WakeTimes {
  readonly #kv: WakeStorage["kv"];
  readonly #stored = new Map<string, number>();
  readonly #due = new DueTimes();

  constructor({ kv }: WakeStorage) {
    this.#kv = kv;
    for (const [key, wakeAt] of kv.list<number>({ prefix: PREFIX })) this.#note(key.slice(PREFIX.length), wakeAt);
  }

  /** When the next execution needs attention (epoch ms); null for never. */
  get earliest(): number | null {
    return this.#due.earliest;
  }

  /** Null for an execution that no longer waits for a time. */
  set(executionId: string, wakeAt: number | null): void {
    if ((this.#stored.get(executionId) ?? null) === wakeAt) return;
    if (wakeAt === null) this.#kv.delete(PREFIX + executionId);
    else this.#kv.put(PREFIX + executionId, wakeAt);
    this.#note(executionId, wakeAt);
  }

  /** The first `most` executions whose time has come. Each is due again after 10 s, unless another time is set. */
  takeDue(now: number, most: number): string[] {
    const taken = this.#due.takeDue(now, most);
    for (const executionId of taken) this.#due.set(executionId, now + RETRY_MS);
    return taken;
  }

  #note(executionId: string, wakeAt: number | null): void {
    if (wakeAt === null) this.#stored.delete(executionId);
    else this.#stored.set(executionId, wakeAt);
    this.#due.set(executionId, wakeAt);
  }
}
