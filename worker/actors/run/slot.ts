import { outputBytes } from "./engine/output-limits.ts";
import type { StoredExecution } from "../../store/executions.ts";

/**
 * One execution's place in its Run object: what was last committed, kept between steps, and two turns. Steps take the
 * first, one after the other, also across awaits. What they bring about is told in the second, in the order of the
 * commits: a cancel must not overtake the job that it cancels. No step waits while others are told (design 3, "Run").
 */
export class RunSlot {
  /** Null until it was read or written; also after an outcome that is not known. */
  get current(): StoredExecution | null {
    return this.#current;
  }

  set current(stored: StoredExecution | null) {
    this.#current = stored;
    this.heldBytes = stored === null ? 0 : outputBytes(stored.state.nodeRuns);
  }

  /** How much of outputs it keeps in memory. */
  heldBytes = 0;
  /** False while something committed may not have been told: after a restart, and after a failed call. */
  told = true;
  #stepTurn: Promise<unknown> = Promise.resolve();
  #tellTurn: Promise<unknown> = Promise.resolve();
  #inUse = 0;
  #current: StoredExecution | null = null;

  get idle(): boolean {
    return this.#inUse === 0;
  }

  async step<T>(work: () => Promise<T>): Promise<T> {
    return this.#enter((run) => (this.#stepTurn = run(this.#stepTurn)), work);
  }

  async tell(work: () => Promise<void>): Promise<void> {
    return this.#enter((run) => (this.#tellTurn = run(this.#tellTurn)), work);
  }

  async #enter<T>(
    queue: (run: (before: Promise<unknown>) => Promise<T>) => Promise<T>,
    work: () => Promise<T>,
  ): Promise<T> {
    this.#inUse += 1;
    try {
      // One that failed has told its own caller; the next in line starts all the same.
      return await queue((before) => before.then(work, work));
    } finally {
      this.#inUse -= 1;
    }
  }
}
