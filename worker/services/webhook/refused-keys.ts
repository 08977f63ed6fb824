import { BoundedMap } from "../../domain/bounded-map.ts";

const KEYS_MAX = 10_000;
/** More than anybody sends by hand, and next to nothing of a flood. */
const PASSED_PER_SECOND = 10;

interface Refused {
  /** Until when the gate has no room, epoch ms. */
  until: number;
  /** The second that `passed` counts in, and how many were passed on to the gate in it. */
  second: number;
  passed: number;
}

/**
 * Webhook keys whose minute is used up, with the secret that was right, in the memory of one isolate: until there may be
 * room again, most of a flood is refused without its bodies being read and without a call to the gate. It never refuses
 * what the gate would let in. A few each second are passed on to the gate all the same: it alone knows that the workflow
 * was unpublished or the key revoked meanwhile, which is answered first (docs/design/http-api.md#webhook-checks). Once
 * one of them is told something else, all the others hear it too.
 */
export class RefusedKeys {
  readonly #keys = new BoundedMap<string, Refused>(KEYS_MAX);

  /** Notes that the gate, asked at `askedAt`, refused it with these seconds to wait, which it had rounded up. */
  note(secretDigest: string, retryAfterSeconds: number, askedAt: number): void {
    const second = Math.floor(askedAt / 1_000);
    // What was passed on while there was room is not counted: a flood begins with this.
    const known = this.#keys.get(secretDigest) ?? { second, passed: 1 };
    this.#keys.set(secretDigest, { ...known, until: askedAt + (retryAfterSeconds - 1) * 1_000 });
  }

  /** Notes that the gate takes nothing with this key and secret, room or none. */
  forget(secretDigest: string): void {
    this.#keys.delete(secretDigest);
  }

  /** The seconds to wait; null when the gate is to be asked. */
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
