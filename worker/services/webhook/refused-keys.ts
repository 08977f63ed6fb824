import { BoundedMap } from "../../domain/bounded-map.ts";

const KEYS_MAX = 10_000;
/** More than anyone sends by hand, and very little of a flood. */
const PASSED_PER_SECOND = 10;

interface Refused {
  /** Until when the gate has no room, epoch ms. */
  until: number;
  /** The second that `passed` counts in, and the number of requests passed on to the gate in it. */
  second: number;
  passed: number;
}

/**
 * Webhook keys whose minute is used up, with the correct secret, in the memory of one isolate: until there may be room
 * again, most of a flood is refused without reading its bodies and without a call to the gate
 * (docs/design/http-api.md#webhook-checks). A request that the gate would accept is never refused. When the gate
 * answers one of the few that still reach it with a revoked key or an unpublished workflow, the refusal ends for all.
 */
export class RefusedKeys {
  readonly #keys = new BoundedMap<string, Refused>(KEYS_MAX);

  /** Records that the gate, called at `askedAt`, refused with these seconds to wait, which it had rounded up. */
  note(secretDigest: string, retryAfterSeconds: number, askedAt: number): void {
    const second = Math.floor(askedAt / 1_000);
    // Requests that passed while there was room are not counted: a flood begins with this one.
    const known = this.#keys.get(secretDigest) ?? { second, passed: 1 };
    this.#keys.set(secretDigest, { ...known, until: askedAt + (retryAfterSeconds - 1) * 1_000 });
  }

  /** Records that the gate accepts nothing with this key and secret, whether or not it has room. */
  forget(secretDigest: string): void {
    this.#keys.delete(secretDigest);
  }

  /** The seconds to wait; null when the gate is to be called. */
  retryAfterSeconds(secretDigest: string, now: number): number | null {
    const refused = this.#keys.get(secretDigest);
    if (refused === undefined) return null;
    if (refused.until <= now) {
      this.#keys.delete(secretDigest);
      return null;
    }
    const second = Math.floor(now / 1_000);
    if (second !== refused.second) {
      refused.second = second;
      refused.passed = 0;
    }
    refused.passed += 1;
    return refused.passed <= PASSED_PER_SECOND ? null : Math.ceil((refused.until - now) / 1_000) + 1;
  }
}
