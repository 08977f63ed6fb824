import type { Random } from "./random.ts";

/** How a link treats requests: the share of requests for each fate. The rest passes. */
export interface Weather {
  /** The connection ends before the request is forwarded. */
  drop: number;
  /** The request is forwarded and answered, but its answer never arrives. */
  loseAnswer: number;
  /** The answer breaks off in the middle. */
  truncate: number;
  /** The answer comes late. */
  slow: number;
  /** The request is held back while later ones on other connections pass. */
  hold: number;
  /** The request is forwarded twice. */
  duplicate: number;
}

export type Fate =
  | { type: "pass" }
  | { type: "drop" }
  | { type: "loseAnswer" }
  /** This share of the answer arrives. */
  | { type: "truncate"; share: number }
  | { type: "slow"; ms: number }
  | { type: "hold"; ms: number }
  /** The second request goes out `gapMs` after the first; the caller gets the answer of one of them. */
  | { type: "duplicate"; gapMs: number; heard: "first" | "second" };

export const FAIR: Weather = { drop: 0, loseAnswer: 0, truncate: 0, slow: 0, hold: 0, duplicate: 0 };

/** The kinds of bad weather that a schedule draws from. */
export const WEATHERS = {
  drops: { ...FAIR, drop: 0.4 },
  "lost answers": { ...FAIR, loseAnswer: 0.4 },
  "broken answers": { ...FAIR, truncate: 0.4 },
  "slow answers": { ...FAIR, slow: 0.6 },
  reordering: { ...FAIR, hold: 0.4 },
  duplicates: { ...FAIR, duplicate: 0.6 },
  everything: { drop: 0.1, loseAnswer: 0.15, truncate: 0.08, slow: 0.15, hold: 0.12, duplicate: 0.15 },
} as const satisfies Record<string, Weather>;
export type WeatherName = keyof typeof WEATHERS;

const SLOW_MS = { min: 100, max: 3_000 };
const HOLD_MS = { min: 100, max: 2_500 };
const DUPLICATE_GAP_MS = { min: 0, max: 1_500 };

/**
 * The fate of the next request. Always draws the same number of times, so that later fates do not depend on this one.
 */
export function drawFate(weather: Weather, random: Random): Fate {
  const roll = random.next();
  const size = random.next();
  const coin = random.next();
  const within = ({ min, max }: { min: number; max: number }) => Math.round(min + size * (max - min));
  const fates: [number, () => Fate][] = [
    [weather.drop, () => ({ type: "drop" })],
    [weather.loseAnswer, () => ({ type: "loseAnswer" })],
    [weather.truncate, () => ({ type: "truncate", share: size })],
    [weather.slow, () => ({ type: "slow", ms: within(SLOW_MS) })],
    [weather.hold, () => ({ type: "hold", ms: within(HOLD_MS) })],
    [
      weather.duplicate,
      () => ({ type: "duplicate", gapMs: within(DUPLICATE_GAP_MS), heard: coin < 0.5 ? "first" : "second" }),
    ],
  ];
  let passed = 0;
  for (const [share, fate] of fates) {
    passed += share;
    if (roll < passed) return fate();
  }
  return { type: "pass" };
}
