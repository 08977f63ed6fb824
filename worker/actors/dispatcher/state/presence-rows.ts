import type { Presence } from "../rules/health.ts";
import type { Agent } from "./agent.ts";

/** One row for each agent would be many writes, one row for all agents too large a write. */
const SLOTS_PER_ROW = 64;

/** By row number; each row has the presences of neighbouring slots. */
export type StoredPresences = Map<number, [agentId: string, presence: Presence][]>;

/** When agents were heard, stored in rows of neighbours, so that many are written together. */
export class PresenceRows {
  /** By slot. The slot of a forgotten agent is free. */
  readonly #slots: (Agent | null)[] = [];
  /** Rows that differ from what is stored, and rows to write with this step. */
  readonly #stale = new Set<number>();
  readonly #toSave = new Set<number>();

  get freeSlot(): number {
    const free = this.#slots.findIndex((taken) => taken == null);
    return free === -1 ? this.#slots.length : free;
  }

  add(agent: Agent): void {
    this.#slots[agent.slot] = agent;
  }

  delete(agent: Agent): void {
    this.#slots[agent.slot] = null;
    this.save(agent);
  }

  changed({ slot }: Agent): void {
    this.#stale.add(rowOf(slot));
  }

  /** Writes an agent's row with this step. */
  save({ slot }: Agent): void {
    this.#toSave.add(rowOf(slot));
  }

  /** Writes all changed rows with this step. */
  saveAll(): void {
    for (const row of this.#stale) this.#toSave.add(row);
  }

  /** The rows that storage must write. Clears them. */
  take(): StoredPresences {
    const rows: StoredPresences = new Map();
    for (const row of this.#toSave) {
      const agents = this.#slots.slice(row * SLOTS_PER_ROW, (row + 1) * SLOTS_PER_ROW).filter((agent) => agent != null);
      rows.set(
        row,
        agents.map(({ settings, presence }) => [settings.agentId, presence]),
      );
      this.#stale.delete(row);
    }
    this.#toSave.clear();
    return rows;
  }
}

function rowOf(slot: number): number {
  return Math.floor(slot / SLOTS_PER_ROW);
}
