/** How long to wait before the next tick. `firm` marks a back-off: only a wake-up with `endsBackoff` shortens it. */
export interface Wait {
  delayMs: number;
  firm: boolean;
}

interface Wake {
  endsBackoff: boolean;
}

/** Never throws. */
export type Tick = (signal: AbortSignal) => Promise<Wait>;

/** The least time between two ticks when a wake-up caused the second, so that wake-ups cause no busy loop. */
const WOKEN_GAP_MS = 5;

/** Runs ticks one after another until it is stopped. The work is in the ticks; this class only waits. */
export class Loop {
  readonly #tick: Tick;
  #stop = new AbortController();
  #done: Promise<void> | null = null;
  #wakeUp: ((wake: Wake) => void) | null = null;
  #wokenWhileBusy: Wake | null = null;
  #isStopped = false;

  constructor(tick: Tick) {
    this.#tick = tick;
  }

  start(): void {
    this.#done ??= this.#run(this.#stop.signal);
  }

  /** Leaves a tick behind that does not come to an end, and begins with a new one. After `stop` it does nothing. */
  startAgain(): void {
    if (this.#isStopped || this.#done === null) return;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#done = this.#run(this.#stop.signal);
  }

  /**
   * There is something to do: ends the wait before the next tick. `endsBackoff` is for callers that have just seen the
   * other side answer again. They set it once per such sign, so a failure after it waits its whole back-off.
   */
  wake(wake: Wake = { endsBackoff: false }): void {
    if (this.#wakeUp !== null) this.#wakeUp(wake);
    else if (this.#wokenWhileBusy?.endsBackoff !== true) this.#wokenWhileBusy = wake;
  }

  /** Ends the current wait or call. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stop.abort();
    await this.#done;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wokenWhileBusy = null;
      const wakesAt = performance.now() + WOKEN_GAP_MS;
      const { delayMs, firm } = await this.#tick(signal);
      if (signal.aborted) return;
      const isWoken = endsWait(this.#wokenWhileBusy, firm);
      if (isWoken && performance.now() >= wakesAt) continue;
      await this.#wait(isWoken ? wakesAt - performance.now() : delayMs, { firm, isWoken, wakesAt, signal });
    }
  }

  #wait(
    delayMs: number,
    { firm, isWoken, wakesAt, signal }: { firm: boolean; isWoken: boolean; wakesAt: number; signal: AbortSignal },
  ): Promise<void> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        if (this.#wakeUp === wakeUp) this.#wakeUp = null;
        resolve();
      };
      const wakeUp = (wake: Wake) => {
        if (!endsWait(wake, firm)) return;
        const leftMs = wakesAt - performance.now();
        if (leftMs <= 0) return done();
        // Further wake-ups until then add nothing.
        this.#wakeUp = null;
        clearTimeout(timer);
        timer = setTimeout(done, Math.min(leftMs, delayMs));
      };
      timer = setTimeout(done, delayMs);
      signal.addEventListener("abort", done, { once: true });
      if (!isWoken) this.#wakeUp = wakeUp;
    });
  }
}

function endsWait(wake: Wake | null, firm: boolean): boolean {
  return wake !== null && (!firm || wake.endsBackoff);
}
