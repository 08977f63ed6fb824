import { inabilityFor } from "../../actors/dispatcher/rules/abilities.ts";
import type { Abilities } from "../../actors/dispatcher/rules/abilities.ts";
import { SetMap } from "../../actors/kit/set-map.ts";
import type { LiveJob } from "./job-book.ts";
import type { JobKind } from "./job-queue.ts";

interface Shelf {
  readonly on: SetMap<JobKind>;
  readonly key: string;
}

/** What of an agent decides which jobs it could have. */
export interface AgentHas {
  readonly credentials: ReadonlyMap<string, unknown>;
  readonly abilities: Abilities;
}

/**
 * Kinds of jobs that found no agent, by what an agent must be or have to take one. Whoever gets room looks only at those,
 * however many others there are.
 */
export class StuckKinds {
  readonly #byAgent = new SetMap<JobKind>();
  readonly #byCredential = new SetMap<JobKind>();
  readonly #forAnybody = new Set<JobKind>();
  /** By connection, those of jobs whose connection was not read yet. */
  readonly #unread = new SetMap<JobKind>();
  readonly #shelves = new Map<JobKind, Shelf[]>();
  readonly #reopened: (kind: JobKind) => void;

  /** `reopened` hears of every kind that is stuck no longer. */
  constructor(reopened: (kind: JobKind) => void) {
    this.#reopened = reopened;
  }

  /** `first` stands for the kind's jobs. */
  add(kind: JobKind, first: LiveJob | undefined): void {
    if (first === undefined) return;
    const { needsCredential } = first;
    const { pinnedAgentId, connectionId, secretsFrom } = first.job.facts;
    const credential = secretsFrom ?? (needsCredential === true ? connectionId : null);
    const shelves: Shelf[] = [];
    if (pinnedAgentId !== null) shelves.push({ on: this.#byAgent, key: pinnedAgentId });
    else if (credential !== null) shelves.push({ on: this.#byCredential, key: credential });
    else this.#forAnybody.add(kind);
    if (needsCredential === null) shelves.push({ on: this.#unread, key: connectionId });
    for (const { on, key } of shelves) on.add(key, kind);
    this.#shelves.set(kind, shelves);
  }

  /** False when it was not stuck. */
  delete(kind: JobKind): boolean {
    const shelves = this.#shelves.get(kind);
    if (shelves === undefined) return false;
    this.#shelves.delete(kind);
    this.#forAnybody.delete(kind);
    for (const { on, key } of shelves) on.delete(key, kind);
    return true;
  }

  reopenFor(agentId: string, { credentials, abilities }: AgentHas): void {
    if (this.#shelves.size === 0) return;
    const isAble = ({ jobs }: JobKind) => inabilityFor(jobs.first?.job.facts ?? {}, abilities) === null;
    this.#reopen(this.#forAnybody, isAble);
    this.#reopen(this.#byAgent.get(agentId), isAble);
    if (credentials.size <= this.#byCredential.size) {
      for (const connectionId of credentials.keys()) this.#reopen(this.#byCredential.get(connectionId), isAble);
    } else {
      for (const connectionId of this.#byCredential.keys()) {
        if (credentials.has(connectionId)) this.#reopen(this.#byCredential.get(connectionId), isAble);
      }
    }
  }

  reopenUnread(connectionId: string): void {
    this.#reopen(this.#unread.get(connectionId));
  }

  #reopen(kinds: Iterable<JobKind> = [], isAble: (kind: JobKind) => boolean = () => true): void {
    for (const kind of kinds) if (isAble(kind) && this.delete(kind)) this.#reopened(kind);
  }
}
