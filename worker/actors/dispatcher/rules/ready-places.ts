import { compareCandidates } from "./candidate.ts";
import type { Candidate } from "./candidate.ts";
import { SortedList } from "../../kit/sorted-list.ts";

/** Agents that have room, the best first, each as it stood when its place was last renewed. */
export class ReadyPlaces {
  readonly #places = new SortedList<Candidate>(compareCandidates);
  readonly #byAgent = new Map<string, Candidate>();

  get size(): number {
    return this.#byAgent.size;
  }

  /** In no order. */
  get agentIds(): Iterable<string> {
    return this.#byAgent.keys();
  }

  has(agentId: string): boolean {
    return this.#byAgent.has(agentId);
  }

  /** Puts an agent where it belongs as it stands now; null takes it out. */
  put(agentId: string, candidate: Candidate | null): void {
    const known = this.#byAgent.get(agentId);
    // Its place is the same, and whoever looks at it renews it.
    if (known !== undefined && candidate !== null && compareCandidates(known, candidate) === 0) return;
    if (known !== undefined) {
      this.#places.delete(known);
      this.#byAgent.delete(agentId);
    }
    if (candidate === null) return;
    this.#places.add(candidate);
    this.#byAgent.set(agentId, candidate);
  }

  /**
   * The first agent that something holds for as it stands now. `renew` puts an agent anew into these places or takes it
   * out, and gives how it stands; null when it has no room.
   */
  first(renew: (agentId: string) => Candidate | null, holds: (candidate: Candidate) => boolean): string | null {
    for (let place = this.#places.first; place !== undefined; place = this.#places.after(place)) {
      const candidate = renew(place.agentId);
      // One that stands further back now is met there.
      const isHere = candidate !== null && compareCandidates(candidate, place) <= 0;
      if (isHere && holds(candidate)) return candidate.agentId;
    }
    return null;
  }
}
