import { compareSeats, obstacleButRoom, obstacleFor } from "./dispatch.ts";
import type { Seat, WaitingJob } from "./dispatch.ts";

/** Up to so many holders of a credential are compared one by one; more stand close together in the list. */
const HOLDERS_COMPARED_MAX = 64;

/** What the list must know of agents beside what it was told: how they stand at this moment. */
export interface ReadyAgents {
  seat(agentId: string): Seat | null;
  /** The agents that say they have a connection's credential. */
  holders(connectionId: string): ReadonlySet<string>;
}

/**
 * The agents of a Pool that have room, the best first (design 5, "Dispatch"), so that a choice costs the same among ten
 * and among ten thousand. A place is renewed when its agent changes, and whenever it is looked at: time alone only makes
 * an agent worse, but for what drops out of its last hour, and that shows with its next heartbeat.
 */
export class ReadyList {
  readonly #places: Seat[] = [];
  readonly #byAgent = new Map<string, Seat>();
  readonly #agents: ReadyAgents;

  constructor(agents: ReadyAgents) {
    this.#agents = agents;
  }

  get size(): number {
    return this.#places.length;
  }

  has(agentId: string): boolean {
    return this.#byAgent.has(agentId);
  }

  /** Puts an agent where it belongs now, or takes it out. */
  renew(agentId: string): void {
    const seat = this.#agents.seat(agentId);
    const known = this.#byAgent.get(agentId);
    const isReady = seat !== null && isOpen(seat);
    if (known !== undefined) {
      if (isReady && compareSeats(known, seat) === 0) {
        this.#replace(known, seat);
        return;
      }
      this.#places.splice(this.#placeOf(known), 1);
      this.#byAgent.delete(agentId);
    }
    if (!isReady) return;
    this.#places.splice(this.#placeOf(seat), 0, seat);
    this.#byAgent.set(agentId, seat);
  }

  /** The best agent that can have this job; null when none can. */
  best(job: WaitingJob): string | null {
    if (job.pinnedAgentId !== null) return this.#bestOf(job, [job.pinnedAgentId]);
    const holders = this.#fewestHolders(job);
    if (holders !== null && holders.size <= HOLDERS_COMPARED_MAX) return this.#bestOf(job, holders);
    return this.#firstFor(job);
  }

  #bestOf(job: WaitingJob, agentIds: Iterable<string>): string | null {
    let best: Seat | null = null;
    for (const agentId of agentIds) {
      const seat = this.#agents.seat(agentId);
      if (seat === null || obstacleFor(job, seat) !== null) continue;
      if (best === null || compareSeats(seat, best) < 0) best = seat;
    }
    return best?.agentId ?? null;
  }

  #firstFor(job: WaitingJob): string | null {
    for (let at = 0; at < this.#places.length;) {
      const place = this.#places[at];
      if (place === undefined) return null;
      this.renew(place.agentId);
      const seat = this.#byAgent.get(place.agentId);
      const now = seat === undefined ? null : this.#placeOf(seat);
      // It stands elsewhere now, or nowhere: whoever has its place is looked at, and it itself where it is met.
      if (seat === undefined || now === null || now > at) continue;
      if (obstacleFor(job, seat) === null) return seat.agentId;
      at = now === at ? at + 1 : now;
    }
    return null;
  }

  #fewestHolders(job: WaitingJob): ReadonlySet<string> | null {
    const needed = [...(job.needsCredential ? [job.connectionId] : []), ...(job.secretsFrom ? [job.secretsFrom] : [])];
    const sets = needed.map((connectionId) => this.#agents.holders(connectionId));
    return sets.toSorted((a, b) => a.size - b.size)[0] ?? null;
  }

  #replace(known: Seat, seat: Seat): void {
    this.#places[this.#placeOf(known)] = seat;
    this.#byAgent.set(seat.agentId, seat);
  }

  /** Where a seat stands, or would stand. */
  #placeOf(seat: Seat): number {
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#places[middle];
      if (other !== undefined && compareSeats(other, seat) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Whether an agent could have some job or other. */
function isOpen(seat: Seat): boolean {
  return seat.room > 0 && obstacleButRoom(ANY_JOB, seat) === null;
}

const ANY_JOB: WaitingJob = {
  jobId: "",
  connectionId: "",
  pinnedAgentId: null,
  needsCredential: false,
  assignedTo: null,
};
