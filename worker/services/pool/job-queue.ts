import { keyOfAsks } from "../../actors/dispatcher/rules/abilities.ts";
import { SortedList } from "../../actors/kit/sorted-list.ts";
import type { LiveJob } from "./job-book.ts";
import { StuckKinds } from "./stuck-kinds.ts";
import type { AgentHas } from "./stuck-kinds.ts";

/**
 * Queued jobs that ask for the same of an agent, so that one that finds nobody speaks for those behind it. Of jobs whose
 * connection was not read yet each connection's are a kind: what they need shows by who has its credential.
 */
export interface JobKind {
  readonly key: string;
  /** The longest waiting first; never empty. */
  readonly jobs: SortedList<LiveJob>;
}

/** The jobs of a Pool that no agent holds, in the order in which they were queued. */
export class JobQueue {
  /** Queued and assigned ones. */
  readonly #waiting = new SortedList<LiveJob>(compareJobs);
  readonly #kinds = new Map<string, JobKind>();
  /** The kinds for which an agent is still to be looked for, that of the longest waiting job first. */
  readonly #open = new SortedList<JobKind>(compareKinds);
  /** Those that found nobody; they are left until an agent changes that could have them. */
  readonly #stuck = new StuckKinds((kind) => this.#open.add(kind));

  get size(): number {
    return this.#waiting.size;
  }

  /** All of them, the longest waiting first. */
  waiting(): Iterable<LiveJob> {
    return this.#waiting;
  }

  /** The longest waiting job of the kinds that may find somebody. */
  get next(): LiveJob | undefined {
    return this.#open.first?.jobs.first;
  }

  /** The longest waiting one has found nobody, so nobody can have its kind. */
  setAside(): void {
    const kind = this.#open.first;
    if (kind === undefined) return;
    this.#open.delete(kind);
    this.#stuck.add(kind, kind.jobs.first);
  }

  /** An agent has room: the kinds that it could have may find it. */
  reopenFor(agentId: string, has: AgentHas): void {
    this.#stuck.reopenFor(agentId, has);
  }

  /** Nobody has a connection's credential any more: jobs of it that were not read may go to anybody. */
  reopenUnread(connectionId: string): void {
    this.#stuck.reopenUnread(connectionId);
  }

  addWaiting(live: LiveJob): void {
    this.#waiting.add(live);
  }

  deleteWaiting(live: LiveJob): void {
    this.#waiting.delete(live);
  }

  /** It can be given to an agent. */
  add(live: LiveJob): void {
    const key = kindOf(live);
    const known = this.#kinds.get(key);
    if (known !== undefined) {
      this.#changeHead(known, live, () => known.jobs.add(live));
      return;
    }
    const kind: JobKind = { key, jobs: new SortedList(compareJobs) };
    kind.jobs.add(live);
    this.#kinds.set(key, kind);
    this.#open.add(kind);
  }

  /** It cannot, or asks for something else from now on. */
  delete(live: LiveJob): void {
    const kind = this.#kinds.get(kindOf(live));
    if (kind === undefined) return;
    if (kind.jobs.size > 1) {
      this.#changeHead(kind, live, () => kind.jobs.delete(live));
    } else if (kind.jobs.first === live) {
      this.#kinds.delete(kind.key);
      if (!this.#stuck.delete(kind)) this.#open.delete(kind);
    }
  }

  /** A kind's place is by its first job. */
  #changeHead(kind: JobKind, by: LiveJob, change: () => void): void {
    const head = kind.jobs.first;
    const isMoved = head !== undefined && compareJobs(by, head) <= 0 && this.#open.delete(kind);
    change();
    if (isMoved) this.#open.add(kind);
  }
}

export function inQueueOrder(jobs: readonly LiveJob[]): LiveJob[] {
  return jobs.toSorted(compareJobs);
}

function compareJobs(a: LiveJob, b: LiveJob): number {
  return a.job.facts.queuedAt - b.job.facts.queuedAt || a.seq - b.seq;
}

function compareKinds(a: JobKind, b: JobKind): number {
  const [first, second] = [a.jobs.first, b.jobs.first];
  return first === undefined || second === undefined ? 0 : compareJobs(first, second);
}

function kindOf({ job: { facts }, needsCredential }: LiveJob): string {
  const { pinnedAgentId, connectionId, secretsFrom } = facts;
  const needs = needsCredential === null ? `?${connectionId}` : needsCredential ? connectionId : "";
  return `${pinnedAgentId ?? ""} ${needs} ${secretsFrom ?? ""} ${keyOfAsks(facts)}`;
}
