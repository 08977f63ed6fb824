import { DurableObject } from "cloudflare:workers";
import { runTick } from "../../cron.ts";
import type { Env } from "../../env.ts";
import { logError } from "../../services/log.ts";
import { waitAtMost } from "../kit/with-timeout.ts";

const MINUTE_MS = 60_000;
/** The longest wait for a minute's tasks. Tasks that hang continue alongside those of the next minutes. */
const TICK_WORK_MS = 50_000;

/**
 * Replaces the Cron Trigger in a deployment without Cloudflare (docs/deploy/one-machine.md): one object whose alarm
 * performs the minute's tasks. An alarm survives a restart and rings late rather than never. An object has only one, so
 * no minute is missed and none runs twice at the same time.
 */
export class Ticker extends DurableObject<Env> {
  #hasTicked = false;
  #isTicking = false;

  /**
   * Ensures that the clock runs. The first tick after a start is immediate: overdue work does not wait for the next
   * full minute. Later calls act only when the alarm is missing, as after a full disk.
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
      // Set before the work, so that the next minute follows even if the work is interrupted.
      await this.ctx.storage.setAlarm(now - (now % MINUTE_MS) + MINUTE_MS);
      await waitAtMost(TICK_WORK_MS, runTick(this.env, now));
    } catch (error) {
      logError("the minute's tick failed; the next one comes in a minute", { error: String(error) });
    } finally {
      this.#isTicking = false;
    }
  }
}
