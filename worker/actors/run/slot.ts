import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { StoredExecution } from "../../store/executions.ts";
import { outputBytes } from "./engine/output-limits.ts";

/** How many idle executions stay in memory between their steps. Others are read again when needed. */
const MAX_IDLE_SLOTS = 500;
/** An object has 128 MB, and a text may take two bytes a character. */
const MAX_IDLE_BYTES = 24 * 1_024 * 1_024;

/**
 * One execution in its object: the last committed state and two queues of work. Steps run one after the other in the
 * first, also across awaits. Their effects are published in the second, in the order of the commits: a cancel must not
 * overtake the job that it cancels. No step waits for a publication (docs/design/dispatch.md#runs).
 */
export class RunSlot {
  /** Bytes of outputs that it keeps in memory. */
  heldBytes = 0;
  /** False while committed effects may be unpublished: after a restart, and after a failed call. */
  published = true;
  readonly #turns = { step: Promise.resolve<unknown>(null), publish: Promise.resolve<unknown>(null) };
  #inUse = 0;
  #current: StoredExecution | null = null;

  /** Null until it is read or written, and after an unknown outcome. */
  get current(): StoredExecution | null {
    return this.#current;
  }

  set current(stored: StoredExecution | null) {
    this.#current = stored;
    this.heldBytes = stored === null ? 0 : outputBytes(stored.state.nodeRuns);
  }

  get idle(): boolean {
    return this.#inUse === 0;
  }

  /** True when the database has everything: no work runs, and the execution has ended with all effects published. */
  get spent(): boolean {
    const hasEnded = this.#current === null || isTerminalExecution(this.#current.state.status);
    return this.idle && this.published && hasEnded;
  }

  /** Runs `work` after all earlier work of this turn. The caller gets its failure; other work still runs. */
  async inTurn<T>(turn: "step" | "publish", work: () => Promise<T>): Promise<T> {
    this.#inUse += 1;
    const done = this.#turns[turn].then(work, work);
    this.#turns[turn] = done;
    try {
      return await done;
    } finally {
      this.#inUse -= 1;
    }
  }
}

/** The slots of an object's executions, in the order of use. */
export class RunSlots {
  readonly #slots = new Map<string, RunSlot>();

  /** The state of an execution in memory, without a read. */
  known(executionId: string): StoredExecution | null {
    return this.#slots.get(executionId)?.current ?? null;
  }

  use(executionId: string): RunSlot {
    const slot = this.#slots.get(executionId) ?? new RunSlot();
    this.#slots.delete(executionId);
    this.#slots.set(executionId, slot);
    return slot;
  }

  /** Drops a spent slot, and the least recently used idle ones when there are too many. */
  release(executionId: string, slot: RunSlot): void {
    if (slot.spent && this.#slots.get(executionId) === slot) this.#slots.delete(executionId);
    let held = 0;
    for (const { heldBytes } of this.#slots.values()) held += heldBytes;
    for (const [id, each] of this.#slots) {
      if (this.#slots.size <= MAX_IDLE_SLOTS && held <= MAX_IDLE_BYTES) return;
      if (!each.idle) continue;
      held -= each.heldBytes;
      this.#slots.delete(id);
    }
  }
}
