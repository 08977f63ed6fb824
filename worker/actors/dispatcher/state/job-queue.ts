import { SetMap } from "../../kit/set-map.ts";
import { SortedList } from "../../kit/sorted-list.ts";
import { inabilityFor, keyOfAsks } from "../../../domain/abilities.ts";
import type { Abilities } from "../../../domain/abilities.ts";
import type { WaitingJob } from "../rules/candidate.ts";
import type { LiveJob } from "./live-job.ts";

/**
 * Queued jobs with the same requirements: when the first finds no agent, the others find none either. Jobs whose
 * connection has not been read form a group for each connection, because the holders of its credential decide what they
 * need.
 */
interface RequirementGroup {
  readonly key: string;
  /** The longest waiting first; never empty. */
  readonly jobs: SortedList<LiveJob>;
  /** The entries of the group while it is blocked; null while it is open. */
  blockedIn: { readonly groups: SetMap<RequirementGroup>; readonly key: string }[] | null;
}

/** The properties of an agent that decide which jobs it could take. */
interface AgentHas {
  readonly credentials: ReadonlyMap<string, unknown>;
  readonly abilities: Abilities;
}

const ANY_AGENT = "";

/** The jobs that no agent holds, in queue order. The cost of finding the next one depends on groups, not on jobs. */
export class JobQueue {
  /** Queued and reserved jobs. */
  readonly #waiting = new SortedList<LiveJob>(compareJobs);
  readonly #groups = new Map<string, RequirementGroup>();
  /** The groups that may find an agent, by their longest waiting job. */
  readonly #open = new SortedList<RequirementGroup>(compareGroups);
  /** The groups that found no agent, by what they need. An agent that gets room looks only at those it could take. */
  readonly #blockedByAgent = new SetMap<RequirementGroup>();
  readonly #blockedByCredential = new SetMap<RequirementGroup>();
  readonly #blockedUnread = new SetMap<RequirementGroup>();
  /** The groups that wait for the end of a pause. */
  readonly #held = new SetMap<RequirementGroup>();

  get size(): number {
    return this.#waiting.size;
  }

  /** All waiting jobs, the longest waiting first. */
  waiting(): Generator<LiveJob> {
    return this.#waiting[Symbol.iterator]();
  }

  /** The longest waiting job of the groups that may find an agent. */
  get next(): LiveJob | undefined {
    return this.#open.first?.jobs.first;
  }

  /** Blocks the group of `next` until a change to an agent that could take its jobs. */
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

  /** Keeps the group of `next` back until `release`. */
  hold(): void {
    const group = this.#open.first;
    if (group === undefined) return;
    this.#open.delete(group);
    group.blockedIn = [{ groups: this.#held, key: ANY_AGENT }];
    this.#held.add(ANY_AGENT, group);
  }

  /** Reopens all groups that `hold` keeps back. */
  release(): void {
    for (const group of this.#held.get(ANY_AGENT) ?? []) this.#reopen(group);
  }

  /** Reopens the groups that an agent with room could take. */
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

  /** The connection got its first holder or lost its last one, so its unread jobs may go to other agents. */
  reopenUnread(connectionId: string): void {
    for (const group of this.#blockedUnread.get(connectionId) ?? []) this.#reopen(group);
  }

  /** Adds a waiting job. A reserved one needs no agent and joins no group. */
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

  /** Removes a job that no longer waits, or whose requirements are about to change. */
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

  /** A group's place depends on its first job. */
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
