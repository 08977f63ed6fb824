import type { AgentRegistration } from "./stored-agent.ts";

interface Placed {
  readonly settings: { readonly agentId: string; readonly removed: boolean };
  readonly registration: Pick<AgentRegistration, "shard"> | null;
}

/**
 * How many agents call which object: the first of a Pool call the Pool itself, further ones shards, some thousand each.
 * Whoever has a place keeps it, and what one that left has freed goes to the next that comes.
 */
export class ObjectPlaces {
  /** By number; 0 is the Pool. */
  readonly #callers: Set<string>[] = [];
  readonly #numberOf = new Map<string, number>();

  /** Called whenever an agent is stored. */
  note({ settings: { agentId, removed }, registration }: Placed): void {
    this.forget(agentId);
    if (removed || registration === null) return;
    this.#put(agentId, numberIn(registration.shard ?? null));
  }

  forget(agentId: string): void {
    const number = this.#numberOf.get(agentId);
    if (number === undefined) return;
    this.#numberOf.delete(agentId);
    this.#callers[number]?.delete(agentId);
  }

  /** The shard that an agent is to call; null for the Pool. */
  shardFor(agentId: string, poolObject: string, agentsPerObject: number): string | null {
    const callers = (number: number) => this.#callers[number]?.size ?? 0;
    let number = this.#numberOf.get(agentId) ?? null;
    // It may have to leave when the setting was lowered.
    if (number === null || callers(number) > agentsPerObject) {
      number = 0;
      while (callers(number) >= agentsPerObject) number += 1;
    }
    return number === 0 ? null : `${poolObject}/${number}`;
  }

  #put(agentId: string, number: number): void {
    while (this.#callers.length <= number) this.#callers.push(new Set());
    this.#callers[number]?.add(agentId);
    this.#numberOf.set(agentId, number);
  }
}

function numberIn(shard: string | null): number {
  return shard === null ? 0 : Number(shard.slice(shard.lastIndexOf("/") + 1));
}
