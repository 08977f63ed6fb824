import { inabilityFor, keyOfAsks } from "../../../domain/abilities.ts";
import type { Asks } from "../../../domain/abilities.ts";
import { BoundedMap } from "../../../domain/bounded-map.ts";
import { compareCandidates, obstacleButRoom, obstacleFor } from "./candidate.ts";
import type { Candidate, WaitingJob } from "./candidate.ts";
import { SortedList } from "../../kit/sorted-list.ts";

/** Up to this many agents are compared one by one. Beyond it, a further list is built. */
const COMPARED_MAX = 64;
/** The most further lists. The least recently used one is dropped first, and rebuilt when needed. */
const LISTS_MAX = 32;

/** The present state of agents, which the list reads when it places them. */
export interface ReadyAgents {
  candidate(agentId: string): Candidate | null;
  /** The agents that report a connection's credential. */
  holders(connectionId: string): ReadonlySet<string>;
}

/**
 * The agents with room, the best first (docs/design/dispatch.md#choice), so that a choice costs the same among ten
 * agents and ten thousand. A place is renewed when its agent changes, and when a search meets it: time alone only makes
 * an agent worse. The exception, failures that leave the last hour, shows with the next heartbeat.
 */
export class ReadyList {
  readonly #places = new ReadyPlaces();
  /** Lists of the ready agents that have one connection's credential, or the abilities that some jobs ask for. */
  readonly #further = new BoundedMap<string, FurtherList>(LISTS_MAX);
  readonly #agents: ReadyAgents;

  constructor(agents: ReadyAgents) {
    this.#agents = agents;
  }

  get size(): number {
    return this.#places.size;
  }

  has(agentId: string): boolean {
    return this.#places.has(agentId);
  }

  /** Puts an agent in its present place, or takes it out. Returns the agent's present state; null when it is out. */
  renew(agentId: string): Candidate | null {
    const candidate = this.#agents.candidate(agentId);
    const open = candidate !== null && isOpen(candidate) ? candidate : null;
    this.#places.put(agentId, open);
    for (const { places, takes } of this.#further.values()) {
      places.put(agentId, open !== null && takes(open) ? open : null);
    }
    return open;
  }

  /** The best agent that can take this job; null when none can. */
  best(job: WaitingJob): string | null {
    return this.#bestOther(job) ?? (job.lostBy === undefined ? null : this.#bestOf(job, [job.lostBy]));
  }

  /** The agent that lost the job is left out: it gets the job only when no other agent can take it. */
  #bestOther(job: WaitingJob): string | null {
    if (job.pinnedAgentId !== null) return this.#bestOf(job, [job.pinnedAgentId], job.lostBy);
    const fewest = this.#fewestHolders(job);
    if (fewest !== null && fewest.holders.size <= COMPARED_MAX) {
      return this.#bestOf(job, fewest.holders, job.lostBy);
    }
    if (fewest !== null || this.#further.get(keyOf(null, job)) !== undefined) {
      return this.#firstFor(job, this.#placesOf(fewest, job));
    }
    let unable = 0;
    const first = this.#firstFor(job, this.#places, () => ++unable > COMPARED_MAX);
    return unable > COMPARED_MAX ? this.#firstFor(job, this.#placesOf(null, job)) : first;
  }

  #bestOf(job: WaitingJob, agentIds: Iterable<string>, but?: string): string | null {
    let best: Candidate | null = null;
    for (const agentId of agentIds) {
      if (agentId === but) continue;
      const candidate = this.#agents.candidate(agentId);
      if (candidate === null || obstacleFor(job, candidate) !== null) continue;
      if (best === null || compareCandidates(candidate, best) < 0) best = candidate;
    }
    return best?.agentId ?? null;
  }

  /** `stopsAt` is called for every agent whose version cannot do the job. True ends the search. */
  #firstFor(job: WaitingJob, places: ReadyPlaces, stopsAt = () => false): string | null {
    return places.first(
      (agentId) => this.renew(agentId),
      (candidate) => {
        if (inabilityFor(job, candidate) !== null) return stopsAt();
        return candidate.agentId !== job.lostBy && obstacleFor(job, candidate) === null;
      },
    );
  }

  #fewestHolders(job: WaitingJob): Holders | null {
    const needed = [...(job.needsCredential ? [job.connectionId] : []), ...(job.secretsFrom ? [job.secretsFrom] : [])];
    const sets = needed.map((connectionId) => ({ connectionId, holders: this.#agents.holders(connectionId) }));
    return sets.toSorted((a, b) => a.holders.size - b.holders.size)[0] ?? null;
  }

  #placesOf(holders: Holders | null, asks: Asks): ReadyPlaces {
    const key = keyOf(holders, asks);
    const list = this.#further.get(key) ?? this.#newList(holders, asks);
    // Inserted again, so that the map's order is the order of use.
    this.#further.set(key, list);
    return list.places;
  }

  #newList(holders: Holders | null, asks: Asks): FurtherList {
    const takes = (candidate: Candidate) =>
      inabilityFor(asks, candidate) === null && (holders === null || candidate.credentials.has(holders.connectionId));
    const places = new ReadyPlaces();
    for (const agentId of holders?.holders ?? this.#places.agentIds) {
      const candidate = this.#places.has(agentId) ? this.#agents.candidate(agentId) : null;
      if (candidate !== null && takes(candidate)) places.put(agentId, candidate);
    }
    return { places, takes };
  }
}

interface FurtherList {
  readonly places: ReadyPlaces;
  readonly takes: (candidate: Candidate) => boolean;
}

interface Holders {
  readonly connectionId: string;
  readonly holders: ReadonlySet<string>;
}

function keyOf(holders: Holders | null, asks: Asks): string {
  return `${holders?.connectionId ?? ""} ${keyOfAsks(asks)}`;
}

/** Whether an agent could take a job without requirements. */
function isOpen(candidate: Candidate): boolean {
  return candidate.room > 0 && obstacleButRoom(ANY_JOB, candidate) === null;
}

/** A job without requirements. */
export const ANY_JOB: WaitingJob = {
  jobId: "",
  connectionId: "",
  pinnedAgentId: null,
  needsCredential: false,
  reservedFor: null,
};

/** Agents with room, the best first, each in the place of its last renewal. */
class ReadyPlaces {
  readonly #places = new SortedList<Candidate>(compareCandidates);
  readonly #byAgent = new Map<string, Candidate>();

  get size(): number {
    return this.#byAgent.size;
  }

  /** In no particular order. */
  get agentIds(): Iterable<string> {
    return this.#byAgent.keys();
  }

  has(agentId: string): boolean {
    return this.#byAgent.has(agentId);
  }

  /** Puts an agent in the place of its present state; null takes it out. */
  put(agentId: string, candidate: Candidate | null): void {
    const known = this.#byAgent.get(agentId);
    // The place is the same, and a search renews the candidate that it meets.
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
   * The first agent whose present state fulfils `holds`. `renew` puts an agent into its present place or takes it out,
   * and returns its present state; null when it has no room.
   */
  first(renew: (agentId: string) => Candidate | null, holds: (candidate: Candidate) => boolean): string | null {
    for (let place = this.#places.first; place !== undefined; place = this.#places.after(place)) {
      const candidate = renew(place.agentId);
      // An agent whose place is further back now is met there.
      const isHere = candidate !== null && compareCandidates(candidate, place) <= 0;
      if (isHere && holds(candidate)) return candidate.agentId;
    }
    return null;
  }
}
