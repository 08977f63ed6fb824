/** How long to wait before the next tick. `firm`: a wake-up does not shorten it, for it is a back-off. */
export interface Wait {
  delayMs: number;
  firm: boolean;
}

/** Never throws. */
export type Tick = (signal: AbortSignal) => Promise<Wait>;

/** Runs ticks one after the other until it is stopped. The loops' work is in their ticks; this is only the waiting. */
export class Loop {
  readonly #tick: Tick;
  #stop = new AbortController();
  #done: Promise<void> | null = null;
  #wakeUp: (() => void) | null = null;
  #wokenWhileBusy = false;
  #isStopped = false;

  constructor(tick: Tick) {
    this.#tick = tick;
  }

  start(): void {
    this.#done ??= this.#run(this.#stop.signal);
  }

  /** Leaves a tick behind that does not come to an end, and begins with a new one. After `stop` it does nothing. */
  startAnew(): void {
    if (this.#isStopped || this.#done === null) return;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#done = this.#run(this.#stop.signal);
  }

  /** There is something to do: the next tick comes at once. */
  wake(): void {
    if (this.#wakeUp === null) this.#wokenWhileBusy = true;
    else this.#wakeUp();
  }

  /** Ends the wait or the call that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stop.abort();
    await this.#done;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wokenWhileBusy = false;
      const { delayMs, firm } = await this.#tick(signal);
      if (signal.aborted) return;
      if (!firm && this.#wokenWhileBusy) continue;
      await this.#wait(delayMs, { firm, signal });
    }
  }

  #wait(delayMs: number, { firm, signal }: { firm: boolean; signal: AbortSignal }): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        if (this.#wakeUp === done) this.#wakeUp = null;
        resolve();
      };
      const timer = setTimeout(done, delayMs);
      signal.addEventListener("abort", done, { once: true });
      if (!firm) this.#wakeUp = done;
    });
  }
}
