import { compareSeats } from "./candidate.ts";
import type { Seat } from "./candidate.ts";
import { SortedList } from "../../kit/sorted-list.ts";

/** Agents that have room, the best first, each as it stood when its place was last renewed. */
export class ReadyPlaces {
  readonly #places = new SortedList<Seat>(compareSeats);
  readonly #byAgent = new Map<string, Seat>();

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
  put(agentId: string, seat: Seat | null): void {
    const known = this.#byAgent.get(agentId);
    // Its place is the same, and whoever looks at it renews it.
    if (known !== undefined && seat !== null && compareSeats(known, seat) === 0) return;
    if (known !== undefined) {
      this.#places.delete(known);
      this.#byAgent.delete(agentId);
    }
    if (seat === null) return;
    this.#places.add(seat);
    this.#byAgent.set(agentId, seat);
  }

  /**
   * The first agent that something holds for as it stands now. `renew` puts an agent anew into these places or takes it
   * out, and gives how it stands; null when it has no room.
   */
  first(renew: (agentId: string) => Seat | null, holds: (seat: Seat) => boolean): string | null {
    for (let place = this.#places.first; place !== undefined; place = this.#places.after(place)) {
      const seat = renew(place.agentId);
      // One that stands further back now is met there.
      const isHere = seat !== null && compareSeats(seat, place) <= 0;
      if (isHere && holds(seat)) return seat.agentId;
    }
    return null;
  }
}
