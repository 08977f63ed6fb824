import { readStepsAfter, latestStep } from "../../store/execution-events.ts";
import type { SequencedStep } from "../../store/execution-events.ts";
import type { Deps } from "../../services/deps.ts";
import { logWarning } from "../../services/log.ts";
import type { FeedPage } from "../../services/ports.ts";
import type { StreamClock } from "../../services/executions/index.ts";
import { failureMessage } from "../../store/errors.ts";

const LOOK_EVERY_MS = 500;
const TRY_AGAIN_MS = 2_000;
/** A watcher asks again immediately after each answer. The feed keeps reading in between, even for one watcher. */
const LINGER_MS = 3_000;
const ANSWER_WITHIN_MS = 20_000;
const READ_AT_ONCE = 500;
const KEPT_STEPS = 1_000;

/** The source of the steps of all executions. */
export interface StepSource {
  latest(): Promise<number>;
  after(seq: number, limit: number): Promise<{ latest: number; seq: number; steps: SequencedStep[] }>;
}

export function stepSource(deps: Deps): StepSource {
  return { latest: () => latestStep(deps.db), after: (seq, limit) => readStepsAfter(deps.db, seq, limit) };
}

/**
 * Reads new steps twice a second for all watchers together, and stops while there are no watchers. Executions write
 * nothing extra for the feed.
 */
export class StepFeed {
  readonly #source: StepSource;
  readonly #clock: StreamClock;
  /** Steps after `#from`, up to `#seq`. */
  #steps: SequencedStep[] = [];
  #from = 0;
  #seq = 0;
  #resets = 0;
  #opening: Promise<void> | null = null;
  #lastAskedAt = 0;
  readonly #waiting = new Set<() => void>();

  constructor(source: StepSource, clock: StreamClock) {
    this.#source = source;
    this.#clock = clock;
  }

  /**
   * The steps after `after`: as soon as there are some, or an empty page after 20 s. Without `after`: only the current
   * end of the sequence. `behind`: the steps are no longer in memory. `resync`: the sequence has started again.
   */
  async next(after: number | null): Promise<FeedPage> {
    await this.#open();
    if (after === null) return { type: "steps", seq: this.#seq, steps: [] };
    // A watcher that read libSQL directly may be ahead of this feed's last read.
    if (after > this.#seq && after > (await this.#source.latest())) return { type: "resync", seq: this.#seq };
    const resets = this.#resets;
    const until = this.#clock.now() + ANSWER_WITHIN_MS;
    for (;;) {
      if (this.#resets !== resets) return { type: "resync", seq: this.#seq };
      if (after < this.#from) return { type: "behind", seq: this.#seq };
      const left = until - this.#clock.now();
      if (this.#seq > after)
        return { type: "steps", seq: this.#seq, steps: this.#steps.filter(({ seq }) => seq > after) };
      if (left <= 0) return { type: "steps", seq: after, steps: [] };
      await this.#news(left);
    }
  }

  /** The number of waiting watchers. */
  get watchers(): number {
    return this.#waiting.size;
  }

  async #news(withinMs: number): Promise<void> {
    const news = Promise.withResolvers<void>();
    this.#waiting.add(news.resolve);
    this.#lastAskedAt = this.#clock.now();
    try {
      await this.#clock.sleep(withinMs, news.promise);
    } finally {
      this.#waiting.delete(news.resolve);
      this.#lastAskedAt = this.#clock.now();
    }
  }

  async #open(): Promise<void> {
    this.#lastAskedAt = this.#clock.now();
    this.#opening ??= this.#start();
    await this.#opening;
  }

  async #start(): Promise<void> {
    try {
      this.#begin(await this.#source.latest());
    } catch (error) {
      this.#opening = null;
      throw error;
    }
    void this.#look();
  }

  #begin(seq: number): void {
    this.#seq = seq;
    this.#from = seq;
    this.#steps = [];
  }

  async #look(): Promise<void> {
    while (this.#waiting.size > 0 || this.#clock.now() - this.#lastAskedAt < LINGER_MS) {
      try {
        const full = await this.#readOnce();
        if (!full) await this.#clock.sleep(LOOK_EVERY_MS);
      } catch (error) {
        logWarning("the steps of executions could not be read", { error: failureMessage(error) });
        await this.#clock.sleep(TRY_AGAIN_MS);
      }
    }
    this.#opening = null;
    this.#steps = [];
  }

  /** True when more steps are ready to be read. */
  async #readOnce(): Promise<boolean> {
    const { latest, seq, steps } = await this.#source.after(this.#seq, READ_AT_ONCE);
    if (latest < this.#seq) {
      this.#resets += 1;
      this.#begin(latest);
    } else {
      this.#steps.push(...steps);
      const dropped = this.#steps.splice(0, Math.max(0, this.#steps.length - KEPT_STEPS));
      this.#from = dropped.at(-1)?.seq ?? this.#from;
      this.#seq = seq;
    }
    for (const wake of this.#waiting) wake();
    return seq < latest;
  }
}
