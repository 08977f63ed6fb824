import { within } from "../within.ts";
import type { Pool } from "./pool.ts";

/** Shorter than the 30 s after which an agent gives its call up: then what was given out would have to be sent again. */
const AGENT_CALL_LIMIT_MS = 20_000;

/** How long one call of an agent may wait, for all that it waits for together. */
export class CallLimit {
  readonly #now: () => number;
  readonly #endsAt: number;

  constructor({ world }: Pick<Pool, "world">) {
    this.#now = () => world.now();
    this.#endsAt = world.now() + AGENT_CALL_LIMIT_MS;
  }

  /** The outcome of what `start` begins, or a failure when the call's time is over. */
  async within<T>(what: string, start: () => Promise<T>): Promise<T> {
    const left = this.#left;
    if (left <= 0) throw new Error(`no time was left for ${what}`);
    return within(left, what, start());
  }

  /** The same, with `late` in the place of that failure. What has begun goes on. */
  async or<T>(late: T, start: () => Promise<T>): Promise<T> {
    const left = this.#left;
    if (left <= 0) return late;
    const { promise, resolve } = Promise.withResolvers<T>();
    const timer = setTimeout(() => resolve(late), left);
    try {
      return await Promise.race([start(), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  get #left(): number {
    return this.#endsAt - this.#now();
  }
}
