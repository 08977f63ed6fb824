import type { Presence } from "../../actors/dispatcher/rules/agent-status.ts";
import type { PoolStorage } from "./pool-storage.ts";

/** How many agents' presence is one row: a row for each would be many writes, one for all too large a one. */
const ROW_AGENTS = 64;

interface Placed {
  readonly settings: { readonly agentId: string };
  readonly presence: Presence;
}

/** Who of a Pool's agents called when, in rows of neighbours: written for many at once, and seldom. */
export class PresenceRows<Agent extends Placed> {
  readonly #storage: PoolStorage;
  readonly #rows: Agent[][] = [];
  readonly #rowOf = new Map<string, number>();
  /** Agents that have called since they were last written down. */
  readonly changed = new Set<string>();

  constructor(storage: PoolStorage) {
    this.#storage = storage;
  }

  /** Gives an agent its place, after those that came before. */
  add(agent: Agent): void {
    const last = this.#rows.at(-1);
    if (last !== undefined && last.length < ROW_AGENTS) last.push(agent);
    else this.#rows.push([agent]);
    this.#rowOf.set(agent.settings.agentId, this.#rows.length - 1);
  }

  /** Writes down what is not written yet: of all, or of one agent and its neighbours. */
  save(agentId: string | null): void {
    const rows = new Set<number>();
    for (const id of agentId === null ? this.changed : [agentId]) {
      const row = this.#rowOf.get(id);
      if (row !== undefined) rows.add(row);
    }
    for (const row of rows) this.#write(row);
    if (agentId === null) this.changed.clear();
  }

  /** Only these are left: they move together, so that there are no more rows than they need. */
  keepOnly(agents: Iterable<Agent>): void {
    this.#rows.length = 0;
    this.#rowOf.clear();
    for (const agent of agents) this.add(agent);
    this.changed.clear();
    this.#storage.deletePresenceChunks();
    for (const row of this.#rows.keys()) this.#write(row);
  }

  #write(row: number): void {
    const agents = this.#rows[row] ?? [];
    this.#storage.savePresenceChunk(
      row,
      agents.map(({ settings, presence }) => [settings.agentId, presence]),
    );
  }
}
