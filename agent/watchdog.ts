import type { Clock } from "./clock.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Log } from "./log.ts";
import type { Loop } from "./loop.ts";
import type { Pulse } from "./pulse.ts";

const SECOND_MS = 1_000;
const LOOK_EVERY_MS = 10 * SECOND_MS;
/** A tick that comes this late means that the process or its machine was stopped. */
const SUSPENDED_MS = 3 * LOOK_EVERY_MS;
/** A call ends within half of it, and a loop that waits announces how long, so POLL_INTERVAL does not matter here. */
const SILENT_MAX_MS = 60 * SECOND_MS;

export interface WatchdogOptions {
  /** The pulse of the poll loop: each round and each of its calls. */
  pulse: Pulse;
  poll: Pick<Loop, "startAgain">;
  runner: Pick<JobRunner, "size">;
  log: Log;
  clock: Pick<Clock, "monotonicMs">;
  /** How many rounds of the poll loop have finished. */
  rounds: () => number;
  /** Whether silence is expected now, for any length of time. */
  mayBeSilent: () => boolean;
  /** Ends the process so that the service manager starts it again. */
  onHopeless: () => void;
}

/**
 * Checks that the poll loop makes progress: an agent that sends heartbeats and fetches nothing would look healthy. The
 * first remedy restarts the loop alone, which harms no running job. When that does not help, the agent ends as soon as
 * no job runs.
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

  /** One check. */
  tick(): void {
    const { pulse, poll, runner, log, clock, rounds, mayBeSilent, onHopeless } = this.#options;
    const lookedAtMs = this.#lookedAtMs;
    this.#lookedAtMs = clock.monotonicMs();
    if (mayBeSilent() || this.#lookedAtMs - lookedAtMs > SUSPENDED_MS) pulse.beat();
    if (rounds() > this.#roundsAtRestart) this.#state = "watching";
    if (pulse.silentMs <= SILENT_MAX_MS) return;
    const silentSeconds = Math.round(pulse.silentMs / SECOND_MS);
    if (this.#state === "watching") {
      this.#state = "restarted";
      this.#roundsAtRestart = rounds();
      log.error("the poll loop hangs: it is restarted, and running jobs continue", { silentSeconds });
      pulse.beat();
      poll.startAgain();
      return;
    }
    if (this.#state === "restarted") {
      this.#state = "hopeless";
      const running = runner.size;
      log.error("the poll loop hangs again: the agent ends as soon as no job runs. Check its disk", {
        silentSeconds,
        running,
      });
    }
    if (runner.size > 0) return;
    this.stop();
    onHopeless();
  }
}
