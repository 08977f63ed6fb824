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
  readonly #stop = new AbortController();
  #done: Promise<void> | null = null;
  #wakeUp: (() => void) | null = null;
  #wokenWhileBusy = false;

  constructor(tick: Tick) {
    this.#tick = tick;
  }

  start(): void {
    this.#done ??= this.#run();
  }

  /** There is something to do: the next tick comes at once. */
  wake(): void {
    if (this.#wakeUp === null) this.#wokenWhileBusy = true;
    else this.#wakeUp();
  }

  /** Ends the wait or the call that is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#wokenWhileBusy = false;
      const { delayMs, firm } = await this.#tick(this.#stop.signal);
      if (!firm && this.#wokenWhileBusy) continue;
      await this.#wait(delayMs, firm);
    }
  }

  #wait(delayMs: number, firm: boolean): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stop.signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        this.#stop.signal.removeEventListener("abort", done);
        this.#wakeUp = null;
        resolve();
      };
      const timer = setTimeout(done, delayMs);
      this.#stop.signal.addEventListener("abort", done, { once: true });
      if (!firm) this.#wakeUp = done;
    });
  }
}
