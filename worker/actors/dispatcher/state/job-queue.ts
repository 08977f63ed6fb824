import { SetMap } from "../../kit/set-map.ts";
import { SortedList } from "../../kit/sorted-list.ts";
import { inabilityFor, keyOfAsks } from "../../../domain/abilities.ts";
import type { Abilities } from "../../../domain/abilities.ts";
import type { WaitingJob } from "../rules/candidate.ts";
import type { LiveJob } from "./live-job.ts";

/**
 * Queued jobs that ask for the same of an agent: when one finds no agent, those behind it find none either. Of jobs whose
 * connection was not read yet, each connection's are a group: what they need shows by who has its credential.
 */
interface RequirementGroup {
  readonly key: string;
  /** The longest waiting first; never empty. */
  readonly jobs: SortedList<LiveJob>;
  /** Where the group lies while it is blocked; null while it is open. */
  blockedIn: { readonly groups: SetMap<RequirementGroup>; readonly key: string }[] | null;
}

/** What of an agent decides which jobs it could have. */
interface AgentHas {
  readonly credentials: ReadonlyMap<string, unknown>;
  readonly abilities: Abilities;
}

const ANY_AGENT = "";

/** The jobs that no agent holds, in the order in which they were queued. What it costs to find one goes by groups. */
export class JobQueue {
  /** Queued and reserved ones. */
  readonly #waiting = new SortedList<LiveJob>(compareJobs);
  readonly #groups = new Map<string, RequirementGroup>();
  /** The groups for which an agent is still to be looked for, that of the longest waiting job first. */
  readonly #open = new SortedList<RequirementGroup>(compareGroups);
  /** Those that found no agent, by what an agent must be or have: one that gets room looks only at those. */
  readonly #blockedByAgent = new SetMap<RequirementGroup>();
  readonly #blockedByCredential = new SetMap<RequirementGroup>();
  readonly #blockedUnread = new SetMap<RequirementGroup>();

  get size(): number {
    return this.#waiting.size;
  }

  /** All of them, the longest waiting first. */
  waiting(): Generator<LiveJob> {
    return this.#waiting[Symbol.iterator]();
  }

  /** The longest waiting job of the groups that may find an agent. */
  get next(): LiveJob | undefined {
    return this.#open.first?.jobs.first;
  }

  /** The group of `next`, which asks for `job`, has found no agent. It is left until an agent changes that could have it. */
  block({ pinnedAgentId, connectionId, secretsFrom, needsCredential }: WaitingJob): void {
    const group = this.#open.first;
    const first = group?.jobs.first;
    if (group === undefined || first === undefined) return;
    this.#open.delete(group);
    const credential = secretsFrom ?? (needsCredential ? connectionId : null);
    group.blockedIn =
      pinnedAgentId === null && credential !== null
        ? [{ groups: this.#blockedByCredential, key: credential }]
        : [{ groups: this.#blockedByAgent, key: pinnedAgentId ?? ANY_AGENT }];
    if (first.needsCredential === null) group.blockedIn.push({ groups: this.#blockedUnread, key: connectionId });
    for (const { groups, key } of group.blockedIn) groups.add(key, group);
  }

  /** An agent has room: the groups that it could have may find it. */
  reopenFor(agentId: string, { credentials, abilities }: AgentHas): void {
    const isAble = ({ jobs }: RequirementGroup) => inabilityFor(jobs.first?.job.facts ?? {}, abilities) === null;
    const reopen = (groups: ReadonlySet<RequirementGroup> | undefined) => {
      for (const group of groups ?? []) if (isAble(group)) this.#reopen(group);
    };
    reopen(this.#blockedByAgent.get(ANY_AGENT));
    reopen(this.#blockedByAgent.get(agentId));
    const byCredential = this.#blockedByCredential;
    const isFewer = credentials.size <= byCredential.size;
    for (const id of isFewer ? credentials.keys() : byCredential.keys()) {
      if (credentials.has(id)) reopen(byCredential.get(id));
    }
  }

  /** The connection's first holder came or its last one went: jobs of it that were not read may go to others. */
  reopenUnread(connectionId: string): void {
    for (const group of this.#blockedUnread.get(connectionId) ?? []) this.#reopen(group);
  }

  /** The job waits: for an agent to be found, or `isReserved` for one. */
  add(live: LiveJob, isReserved: boolean): void {
    this.#waiting.add(live);
    if (isReserved) return;
    const key = groupOf(live);
    const known = this.#groups.get(key);
    if (known !== undefined) {
      this.#changeHead(known, live, () => known.jobs.add(live));
      return;
    }
    const group: RequirementGroup = { key, jobs: new SortedList(compareJobs), blockedIn: null };
    group.jobs.add(live);
    this.#groups.set(key, group);
    this.#open.add(group);
  }

  /** It does not wait any more, or is about to ask for something else. */
  delete(live: LiveJob, isReserved: boolean): void {
    this.#waiting.delete(live);
    const group = isReserved ? undefined : this.#groups.get(groupOf(live));
    if (group === undefined) return;
    if (group.jobs.size > 1) {
      this.#changeHead(group, live, () => group.jobs.delete(live));
      return;
    }
    if (group.blockedIn === null) this.#open.delete(group);
    else this.#unblock(group);
    this.#groups.delete(group.key);
  }

  #reopen(group: RequirementGroup): void {
    this.#unblock(group);
    this.#open.add(group);
  }

  #unblock(group: RequirementGroup): void {
    for (const { groups, key } of group.blockedIn ?? []) groups.delete(key, group);
    group.blockedIn = null;
  }

  /** A group's place is by its first job. */
  #changeHead(group: RequirementGroup, by: LiveJob, change: () => void): void {
    const head = group.jobs.first;
    const isMoved = group.blockedIn === null && head !== undefined && compareJobs(by, head) <= 0;
    if (isMoved) this.#open.delete(group);
    change();
    if (isMoved) this.#open.add(group);
  }
}

export function inQueueOrder(jobs: readonly LiveJob[]): LiveJob[] {
  return jobs.toSorted(compareJobs);
}

function compareJobs(a: LiveJob, b: LiveJob): number {
  return a.job.facts.queuedAt - b.job.facts.queuedAt || a.seq - b.seq;
}

function compareGroups(a: RequirementGroup, b: RequirementGroup): number {
  const [first, second] = [a.jobs.first, b.jobs.first];
  return first === undefined || second === undefined ? 0 : compareJobs(first, second);
}

function groupOf({ job: { facts }, needsCredential }: LiveJob): string {
  const { pinnedAgentId, connectionId, secretsFrom } = facts;
  const needs = needsCredential === null ? `?${connectionId}` : needsCredential ? connectionId : "";
  return `${pinnedAgentId ?? ""} ${needs} ${secretsFrom ?? ""} ${keyOfAsks(facts)}`;
}
