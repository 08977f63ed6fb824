const KEYS_MAX = 10_000;

/**
 * Webhook keys whose minute is used up, with the secret that was right, in the memory of one isolate: until there may be
 * room again, a flood of further requests is refused without its bodies being read and without a call to the gate. It
 * never refuses what the gate would let in.
 */
export class RefusedKeys {
  /** Until when, epoch ms. What was noted longest ago stands first. */
  readonly #until = new Map<string, number>();

  /** Notes that the gate, asked at `askedAt`, refused it with these seconds to wait, which it had rounded up. */
  note(secretDigest: string, retryAfterSeconds: number, askedAt: number): void {
    this.#until.delete(secretDigest);
    this.#until.set(secretDigest, askedAt + (retryAfterSeconds - 1) * 1_000);
    const [oldest] = this.#until.keys();
    if (oldest !== undefined && this.#until.size > KEYS_MAX) this.#until.delete(oldest);
  }

  /** The seconds to wait; null when the gate is to be asked. */
  retryAfterSeconds(secretDigest: string, now: number): number | null {
    const until = this.#until.get(secretDigest);
    if (until === undefined) return null;
    if (until > now) return Math.ceil((until - now) / 1_000) + 1;
    this.#until.delete(secretDigest);
    return null;
  }
}
