import type { LiveNotification } from "./storage.ts";

/** Notifications of one lane take only some of the places; those without a lane take any. */
export interface Lanes {
  of(facts: LiveNotification["notification"]["facts"]): string | null;
  readonly attemptsAtOnce: number;
}

/** Slow receivers must not hold up the others, and this many messages of one MiB fit into an object's memory. */
export const SENDING_AT_ONCE = 16;
/** On Cloudflare, six connections of one call may wait for their answer; further ones queue behind them. */
const SLOW_AT_ONCE = 4;
/** An attempt that takes longer has no place: others begin, but not without end. */
const LONG_MS = 15_000;
const LONG_AT_MOST = 16;

/**
 * Whose turn it is. A lane whose last attempt had no answer, or takes long, is slow: all slow lanes together take few of
 * the places, by turns, so that they hold up no other lane.
 */
export class Turns {
  readonly #lanes: Lanes | null;
  /** The slow lanes, the one that was tried longest ago first. */
  readonly #slow = new Set<string>();

  constructor(lanes: Lanes | null) {
    this.#lanes = lanes;
  }

  /** Notes how the lane answered to an attempt that has ended. */
  ended(live: LiveNotification): void {
    const lane = this.#laneOf(live);
    const result = live.notification.attempts.at(-1)?.result;
    if (lane === null) return;
    this.#slow.delete(lane);
    if (result === "unreachable" || result === "unknown") this.#slow.add(lane);
  }

  /**
   * The one to try next of those that wait, which come in the order in which they are due; undefined when there is no
   * room for any. The end of an attempt makes room.
   */
  next(
    waiting: Iterable<LiveNotification>,
    sending: ReadonlyMap<LiveNotification, unknown>,
    tryAt: (live: LiveNotification) => number,
    now: number,
  ): LiveNotification | undefined {
    const long = this.#longLanes(sending.keys(), now);
    for (const lane of long) this.#slow.add(lane);
    if (sending.size - Math.min(long.length, LONG_AT_MOST) >= SENDING_AT_ONCE) return undefined;
    const full = this.#fullLanes(sending.keys());
    const ofSlow = new Map<string, LiveNotification>();
    let earliest: LiveNotification | undefined;
    for (const live of waiting) {
      const lane = this.#laneOf(live);
      if (sending.has(live) || (lane !== null && full.has(lane))) continue;
      earliest ??= live;
      if (tryAt(live) > now) break;
      if (lane === null || !this.#slow.has(lane)) return live;
      if (!ofSlow.has(lane)) ofSlow.set(lane, live);
    }
    const [longestAgo] = [...this.#slow].flatMap((lane) => ofSlow.get(lane) ?? []);
    return longestAgo ?? earliest;
  }

  /** The lane of each attempt that takes long. */
  #longLanes(sending: Iterable<LiveNotification>, now: number): string[] {
    return [...sending].flatMap((live) => {
      const { stage } = live.notification;
      return stage.type === "sending" && now - stage.startedAt > LONG_MS ? (this.#laneOf(live) ?? []) : [];
    });
  }

  #fullLanes(sending: Iterable<LiveNotification>): ReadonlySet<string> {
    const counts = new Map<string, number>();
    for (const live of sending) {
      const lane = this.#laneOf(live);
      if (lane !== null) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    }
    const atOnce = this.#lanes?.attemptsAtOnce ?? Infinity;
    const full = [...counts].flatMap(([lane, count]) => (count >= atOnce ? [lane] : []));
    const ofSlow = [...counts].reduce((sum, [lane, count]) => sum + (this.#slow.has(lane) ? count : 0), 0);
    return new Set(ofSlow >= SLOW_AT_ONCE ? [...full, ...this.#slow] : full);
  }

  #laneOf({ notification }: LiveNotification): string | null {
    return this.#lanes?.of(notification.facts) ?? null;
  }
}
