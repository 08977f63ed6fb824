import type { StreamClock } from "../../worker/services/executions/events-stream.ts";

/** A clock without real waiting: a sleep ends in the next turn of the loop, and the clock has moved. */
export class FastClock implements StreamClock {
  #now = 1_800_000_000_000;

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, cancelled?: Promise<unknown>): Promise<void> {
    const until = this.#now + ms;
    const turn = new Promise<"over">((resolve) => {
      setTimeout(resolve, 0, "over");
    });
    const ended = await Promise.race([turn, ...(cancelled === undefined ? [] : [cancelled.then(() => "cancelled")])]);
    if (ended === "over") this.#now = Math.max(this.#now, until);
  }
}
