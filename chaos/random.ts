/**
 * The one source of chance in a chaos run. Every draw comes from a generator made by the seed, so the same seed draws
 * the same schedule, the same events and, in the same order, the same fates of requests.
 */
export interface Random {
  /** At least 0 and under 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  /** Throws for an empty list. */
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** A separate generator: its draws do not depend on other draws. */
  fork(name: string): Random;
}

const WORD = 2 ** 32;

export function seededRandom(seed: string): Random {
  const state = wordsOf(seed);
  const next = () => {
    // Marsaglia's xorshift of 128 bits.
    const [x = 1, y = 2, z = 3, w = 4] = state;
    const mixed = x ^ (x << 11);
    const last = (w ^ (w >>> 19) ^ (mixed ^ (mixed >>> 8))) >>> 0;
    state.splice(0, 4, y, z, w, last);
    return last / WORD;
  };
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const picked = items[whole(0, items.length - 1)];
      if (picked === undefined) throw new Error("nothing to pick from");
      return picked;
    },
    shuffled: (items) => {
      const left = [...items];
      return items.flatMap(() => left.splice(whole(0, left.length - 1), 1));
    },
    fork: (name) => seededRandom(`${seed}/${name}`),
  };
}

function wordsOf(seed: string): number[] {
  const digest = new Bun.CryptoHasher("sha256").update(seed).digest();
  // A state of zeros would stay zero for ever.
  return [0, 4, 8, 12].map((offset) => digest.readUInt32LE(offset) | 1);
}
