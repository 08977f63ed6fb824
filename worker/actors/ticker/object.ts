import { DurableObject } from "cloudflare:workers";
import { runTick } from "../../cron.ts";
import type { Env } from "../../env.ts";
import { logError } from "../../services/log.ts";
import { waitAtMost } from "../kit/with-timeout.ts";

const MINUTE_MS = 60_000;
/** A minute's duties that hang must not hold up the minutes after it; they go on beside them. */
const TICK_WORK_MS = 50_000;

/**
 * The Cron Trigger of a deployment without Cloudflare (docs/deploy/one-machine.md): one object whose alarm performs the
 * minute's duties. An alarm survives a restart and rings late rather than never, and an object has one, so that no
 * minute is missed and none is done twice at once.
 */
export class Ticker extends DurableObject<Env> {
  #hasTicked = false;
  #isTicking = false;

  /**
   * Sees to it that the clock runs. After a start the first tick comes at once: what fell due while nothing ran does not
   * wait for the next full minute. Later it does something only when the alarm is gone, as after a full disk.
   */
  async arm(): Promise<void> {
    if (this.#isTicking || (this.#hasTicked && (await this.ctx.storage.getAlarm()) !== null)) return;
    await this.ctx.storage.setAlarm(Date.now());
  }

  /** Never throws: the platform drops an alarm after six failures (docs/design/dispatch.md#alarms). */
  override async alarm(): Promise<void> {
    this.#hasTicked = true;
    this.#isTicking = true;
    const now = Date.now();
    try {
      // Before the work: whatever ends it half-way, there is another minute.
      await this.ctx.storage.setAlarm(now - (now % MINUTE_MS) + MINUTE_MS);
      await waitAtMost(TICK_WORK_MS, runTick(this.env, now));
    } catch (error) {
      logError("the minute's tick failed; the next one comes in a minute", { error: String(error) });
    } finally {
      this.#isTicking = false;
    }
  }
}
