import { SUCCESS_RATE_WINDOW_MS } from "../../../../schema/limits.ts";
import type { JobOutcomes } from "./health-score.ts";

const MINUTE_MS = 60_000;
const WINDOW_MINUTES = SUCCESS_RATE_WINDOW_MS / MINUTE_MS;

/** How one agent's jobs of the last hour ended, counted by the minute. Times are epoch milliseconds. */
export class OutcomeWindow {
  readonly #minutes = new Map<number, { finished: number; succeeded: number }>();

  add(succeeded: boolean, at: number, count = 1): void {
    const minute = Math.floor(at / MINUTE_MS);
    const bucket = this.#minutes.get(minute) ?? { finished: 0, succeeded: 0 };
    bucket.finished += count;
    if (succeeded) bucket.succeeded += count;
    this.#minutes.set(minute, bucket);
  }

  count(now: number): JobOutcomes {
    const oldest = Math.floor(now / MINUTE_MS) - WINDOW_MINUTES;
    const sum = { finished: 0, succeeded: 0 };
    for (const [minute, bucket] of this.#minutes) {
      if (minute <= oldest) {
        this.#minutes.delete(minute);
        continue;
      }
      sum.finished += bucket.finished;
      sum.succeeded += bucket.succeeded;
    }
    return sum;
  }
}
