import { keyOfAsks } from "../../../domain/abilities.ts";
import { pausedReason } from "../../../domain/control.ts";
import type { Asks } from "../../../domain/abilities.ts";
import { obstacleButRoom } from "../rules/candidate.ts";
import type { Candidate, Obstacle, PooledJob, WaitingJob } from "../rules/candidate.ts";
import { waitsInPause } from "../rules/job.ts";
import { ANY_JOB } from "../rules/ready-list.ts";
import { NAMED_AGENTS_MAX, waitingReason } from "../rules/waiting-reason.ts";
import type { WaitingReason } from "../rules/waiting-reason.ts";
import { candidateOf, toWaitingJob } from "./candidates.ts";
import type { LiveJob } from "./live-job.ts";
import type { DispatcherState } from "./state.ts";

/** For jobs that ask for the same: the agents that could take some of them, and the others counted by obstacle. */
interface Counted {
  readonly open: ReadonlyMap<string, Candidate>;
  readonly closed: ReadonlyMap<Obstacle, number>;
}

/**
 * Why jobs wait, at one moment. Agents are examined only when needed, and once for all jobs with the same requirements:
 * a thousand jobs may reach their time limit together in a pool of ten thousand agents.
 */
export class WaitingReasons {
  readonly #state: DispatcherState;
  readonly #now: number;
  #candidates: Candidate[] | null = null;
  readonly #known = new Map<string, WaitingReason>();
  readonly #counted = new Map<string, Counted>();

  constructor(state: DispatcherState, now: number) {
    this.#state = state;
    this.#now = now;
  }

  of(live: LiveJob): WaitingReason {
    const { stage } = live.job;
    if (stage.type === "ended" && stage.report.reroute !== undefined) {
      const { poolObject } = stage.report.reroute;
      const where = poolObject.startsWith("agent:") ? "an agent without a pool" : poolObject;
      return { code: "moving", detail: `Its connection was moved. The job is being ordered again for ${where}.` };
    }
    const { pause } = this.#state.control;
    if (pause !== null && waitsInPause(live.job.facts)) return pausedReason(pause);
    const waiting = this.#ofWaiting(toWaitingJob(live, this.#state.agents));
    // A job that no agent can take would wait even if the database answered.
    if (!this.#state.timers.databaseSilent || waiting.code !== "next_poll") return waiting;
    const detail = "The database does not answer. Jobs are given to agents again once it does.";
    return { code: "database_unavailable", detail };
  }

  #ofWaiting(job: PooledJob): WaitingReason {
    const onlyFor = job.pinnedAgentId ?? job.reservedFor;
    if (onlyFor !== null) {
      const agent = this.#state.agents.member(onlyFor);
      return waitingReason(job, agent === undefined ? [] : [candidateOf(this.#state, agent, this.#now)]);
    }
    const group = `${job.needsCredential ? job.connectionId : ""} ${job.secretsFrom ?? ""} ${keyOfAsks(job)}`;
    const known = this.#known.get(group) ?? this.#ofAny(job);
    this.#known.set(group, known);
    return known;
  }

  #ofAny(job: PooledJob): WaitingReason {
    const candidates = this.#allCandidates();
    if (candidates.length <= NAMED_AGENTS_MAX) return waitingReason(job, candidates);
    const { open, closed } = this.#countFor(job);
    const needed = job.needsCredential ? job.connectionId : job.secretsFrom;
    if (needed === undefined) return waitingReason(job, [...open.values()], closed);
    const holders = [...this.#state.agents.credentials.holdersOf(needed)].flatMap((agentId) => open.get(agentId) ?? []);
    const without = job.needsCredential ? "no_credential" : "no_secrets";
    return waitingReason(job, holders, new Map(closed).set(without, open.size - holders.length));
  }

  #countFor({ action, testedType, features }: WaitingJob): Counted {
    const asks = { action, testedType, features };
    const key = keyOfAsks(asks);
    const known = this.#counted.get(key) ?? this.#count(asks);
    this.#counted.set(key, known);
    return known;
  }

  #count(asks: Asks): Counted {
    const open = new Map<string, Candidate>();
    const closed = new Map<Obstacle, number>();
    for (const candidate of this.#allCandidates()) {
      const obstacle = obstacleButRoom({ ...ANY_JOB, ...asks }, candidate);
      // A missing credential is a better reason than a late poll, so agents that do not poll count as open here.
      if (obstacle === null || obstacle === "not_polling") open.set(candidate.agentId, candidate);
      else closed.set(obstacle, (closed.get(obstacle) ?? 0) + 1);
    }
    return { open, closed };
  }

  #allCandidates(): Candidate[] {
    this.#candidates ??= [...this.#state.agents.members()].map((agent) => candidateOf(this.#state, agent, this.#now));
    return this.#candidates;
  }
}
