import type { Clock } from "./clock.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Log } from "./log.ts";
import type { Loop } from "./loop.ts";
import type { Pulse } from "./pulse.ts";

const SECOND_MS = 1_000;
const LOOK_EVERY_MS = 10 * SECOND_MS;
/** Who looks this late was stopped, with all the rest of the process, or its machine was. */
const STOOD_STILL_MS = 3 * LOOK_EVERY_MS;
/** A call ends within half of it, and a loop that waits says until when: POLL_INTERVAL has no part in this. */
const SILENT_MAX_MS = 60 * SECOND_MS;

export interface WatchdogOptions {
  /** Of the poll loop: each round and each of its calls. */
  pulse: Pulse;
  poll: Pick<Loop, "startAgain">;
  runner: Pick<JobRunner, "size">;
  log: Log;
  clock: Pick<Clock, "monotonicMs">;
  /** How many rounds of the poll loop came to an end. */
  rounds: () => number;
  /** Something else has the word, for as long as it takes. */
  mayBeSilent: () => boolean;
  /** Ends the process in a way that makes the service manager start it again. */
  onHopeless: () => void;
}

/**
 * Watches that the poll loop goes round: an agent whose heartbeats go on while it fetches nothing would look healthy.
 * First the loop alone is started anew, which harms no running job. When that does not help either, the agent ends, but
 * not before its jobs have.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #state: "watching" | "restarted" | "hopeless" = "watching";
  #roundsAtRestart = 0;
  #lookedAtMs: number;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#lookedAtMs = options.clock.monotonicMs();
  }

  start(): void {
    this.#timer ??= setInterval(() => this.tick(), LOOK_EVERY_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** One look. */
  tick(): void {
    const { pulse, poll, runner, log, clock, rounds, mayBeSilent, onHopeless } = this.#options;
    const lookedAtMs = this.#lookedAtMs;
    this.#lookedAtMs = clock.monotonicMs();
    if (mayBeSilent() || this.#lookedAtMs - lookedAtMs > STOOD_STILL_MS) pulse.beat();
    if (rounds() > this.#roundsAtRestart) this.#state = "watching";
    if (pulse.silentMs <= SILENT_MAX_MS) return;
    const silentSeconds = Math.round(pulse.silentMs / SECOND_MS);
    if (this.#state === "watching") {
      this.#state = "restarted";
      this.#roundsAtRestart = rounds();
      log.error("the poll loop stands still: it is started anew, and running jobs go on", { silentSeconds });
      pulse.beat();
      poll.startAgain();
      return;
    }
    if (this.#state === "restarted") {
      this.#state = "hopeless";
      const running = runner.size;
      log.error("the poll loop stands still again: the agent ends as soon as no job runs; is its disk stuck?", {
        silentSeconds,
        running,
      });
    }
    if (runner.size > 0) return;
    this.stop();
    onHopeless();
  }
}
