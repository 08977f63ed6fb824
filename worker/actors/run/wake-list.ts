import { nextWake } from "../../domain/next-wake.ts";

const PREFIX = "wake:";
const RETRY_MS = 10_000;

/** The part of a Durable Object's storage that the list needs. */
export interface WakeStorage {
  kv: {
    list<T>(options: { prefix: string }): Iterable<[string, T]>;
    put<T>(key: string, value: T): void;
    delete(key: string): boolean;
  };
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}

/**
 * Which executions must be looked at, and when, over the one alarm that an object has. While nothing waits for time,
 * nothing is written.
 */
export class WakeList {
  readonly #storage: WakeStorage;
  readonly #wakeAt = new Map<string, number>();
  #armedAt: number | null = null;

  constructor(storage: WakeStorage) {
    this.#storage = storage;
    for (const [key, wakeAt] of storage.kv.list<number>({ prefix: PREFIX }))
      this.#wakeAt.set(key.slice(PREFIX.length), wakeAt);
  }

  /** Notes when `executionId` must be looked at (epoch ms), or that it need not be any more. */
  async set(executionId: string, wakeAt: number | null): Promise<void> {
    if ((this.#wakeAt.get(executionId) ?? null) === wakeAt) return;
    if (wakeAt === null) {
      this.#wakeAt.delete(executionId);
      this.#storage.kv.delete(PREFIX + executionId);
    } else {
      this.#wakeAt.set(executionId, wakeAt);
      this.#storage.kv.put(PREFIX + executionId, wakeAt);
    }
    await this.arm();
  }

  /** The executions whose time has come. */
  due(now: number): string[] {
    return [...this.#wakeAt].flatMap(([executionId, wakeAt]) => (wakeAt <= now ? [executionId] : []));
  }

  /** Sets the alarm to the earliest time. What was due by `lookedAt` and is still there is tried again later. */
  async arm(lookedAt = Number.NEGATIVE_INFINITY): Promise<void> {
    const next = nextWake(this.#wakeAt.values(), lookedAt, RETRY_MS);
    if (next === this.#armedAt) return;
    this.#armedAt = next;
    if (next === null) await this.#storage.deleteAlarm();
    else await this.#storage.setAlarm(next);
  }

  /** An alarm that rang is no longer set. */
  rang(): void {
    this.#armedAt = null;
  }
}
