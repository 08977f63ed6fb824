/** How long to wait before the next tick. `firm`: it is a back-off, which a wake-up shortens only where it says so. */
export interface Wait {
  delayMs: number;
  firm: boolean;
}

interface Wake {
  endsBackoff: boolean;
}

/** Never throws. */
export type Tick = (signal: AbortSignal) => Promise<Wait>;

/** A tick that was woken begins no sooner after the last: who wakes it without end makes it no busy loop. */
const WOKEN_GAP_MS = 5;

/** Runs ticks one after the other until it is stopped. The loops' work is in their ticks; this is only the waiting. */
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
   * There is something to do: the next tick comes at once. `endsBackoff` is for whoever has just seen that the other side
   * answers again, and is called once for each such sign: what fails after it waits its whole back-off.
   */
  wake(wake: Wake = { endsBackoff: false }): void {
    if (this.#wakeUp !== null) this.#wakeUp(wake);
    else if (this.#wokenWhileBusy?.endsBackoff !== true) this.#wokenWhileBusy = wake;
  }

  /** Ends the wait or the call that is under way. */
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
        // What comes until then is heard already.
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
