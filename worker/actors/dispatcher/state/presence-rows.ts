import type { Presence } from "../rules/health.ts";
import type { Agent } from "./agent.ts";

/** A row for each agent would be many writes, one row for all too large a write. */
const SLOTS_PER_ROW = 64;

/** Rows of presences by number, each with those of neighbours. */
export type StoredPresences = Map<number, [agentId: string, presence: Presence][]>;

/** When agents were heard, in rows of neighbours: written for many at once, and seldom. */
export class PresenceRows {
  /** By slot; that of an agent that was forgotten is free. */
  readonly #slots: (Agent | null)[] = [];
  /** Rows that differ from what is stored, and those to be written now. */
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

  /** Has an agent's presence written at once, with its neighbours'. */
  save({ slot }: Agent): void {
    this.#toSave.add(rowOf(slot));
  }

  /** Has all presences written that have changed. */
  saveAll(): void {
    for (const row of this.#stale) this.#toSave.add(row);
  }

  /** What storage must write, once. */
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
