import { earliest } from "../../actors/kit/earliest.ts";
import { FINISHED_JOB_IDS_KEEP_MS, OFFLINE_AFTER_MS } from "../../../schema/limits.ts";
import { logError } from "../log.ts";
import { DueTimes } from "../../actors/kit/due-times.ts";
import { ReadyList } from "../../actors/dispatcher/rules/ready-list.ts";
import { AgentBook } from "./agent-book.ts";
import { AlarmClock } from "./alarm-clock.ts";
import type { AlarmStorage } from "./alarm-clock.ts";
import { deadlineOf } from "./deadlines.ts";
import { JobBook } from "./job-book.ts";
import { lostFrom } from "./lost-jobs.ts";
import { PoolStorage } from "./pool-storage.ts";
import type { ObjectStorage } from "./pool-storage.ts";
import type { PoolWorld } from "./pool-world.ts";
import { seatOf } from "./seats.ts";

/** A Pool at work: what the verbs of this folder share. */
export interface Pool {
  readonly storage: PoolStorage;
  readonly jobs: JobBook;
  readonly agents: AgentBook;
  readonly world: PoolWorld;
  readonly alarm: AlarmClock;
  readonly timers: PoolTimers;
  /** The agents that have room, the best first. */
  readonly ready: ReadyList;
  /** Those whose standing may have changed since `ready` was last renewed. */
  readonly changed: Set<string>;
  /** By when agents are to fetch what is kept for them. */
  readonly unfetched: DueTimes;
  readonly wakers: Wakers;
  /** Work that nobody waits for. */
  background(work: Promise<unknown>): void;
}

/** How the agents that call this object are told to poll at once (design 4, `GET /wake`). */
export interface Wakers {
  /** Gives those that could be told. */
  wake(agentIds: readonly string[]): string[];
  /** Ends an agent's socket: another process of it is served now, or its settings changed. It may open a new one. */
  drop(agentId: string): void;
}

/** When Pool's own duties are due (epoch ms); null when they are not. */
export interface PoolTimers {
  /** The next look at the connections of jobs that wait. */
  reviewAt: number | null;
  /** Connections that were edited: at that look it is judged again who can use what they hold for them. */
  readonly edited: Set<string>;
  /** The next try to tell ends that could not be told. */
  tellEndsAt: number | null;
  tellFailures: number;
  flushAt: number | null;
  pruneAt: number | null;
  /** The next try to record what credentials agents have. */
  tellCredentialsAt: number | null;
  /** True while libSQL is being told of them. */
  isTelling: boolean;
  /** True while the last try to read connections failed. */
  databaseSilent: boolean;
}

const REVIEW_EVERY_MS = 60_000;
/** Finished jobs are forgotten in hourly portions. */
const PRUNE_EVERY_MS = 60 * 60_000;

/**
 * Loads a Pool from its storage. It may have been put to sleep in the middle of anything: what is in memory alone must be
 * found again here, or be due at once. `armPool` comes next.
 */
export function openPool(
  storage: ObjectStorage & AlarmStorage,
  world: PoolWorld,
  { background, wakers }: Pick<Pool, "background" | "wakers">,
): Pool {
  const poolStorage = new PoolStorage(storage);
  const changed = new Set<string>();
  const jobs = new JobBook(poolStorage, (agentId) => changed.add(agentId));
  const now = world.now();
  const agents = new AgentBook(poolStorage, now, jobs.holders().length > 0);
  for (const { settings } of agents.members()) changed.add(settings.agentId);
  const ready = new ReadyList({
    seat: (agentId) => {
      const agent = agents.get(agentId);
      return agent === undefined || agent.settings.removed ? null : seatOf({ agents, jobs }, agent, world.now());
    },
    holders: (connectionId) => agents.holdersOf(connectionId),
  });
  return {
    storage: poolStorage,
    jobs,
    agents,
    world,
    alarm: new AlarmClock(storage, (error) => logError("a Pool's alarm could not be set", { error: String(error) })),
    timers: {
      reviewAt: jobs.queue.size > 0 ? now : null,
      edited: new Set(),
      tellEndsAt: jobs.ended().length > 0 ? now : null,
      tellFailures: 0,
      flushAt: null,
      pruneAt: nextPrune(poolStorage),
      tellCredentialsAt: agents.told.untold.size > 0 ? now : null,
      isTelling: false,
      databaseSilent: false,
    },
    ready,
    changed,
    unfetched: new DueTimes(),
    wakers,
    background,
  };
}

/**
 * Arms the alarm when work is pending (design 3, "Alarms"). One that is set for earlier, `armedAt` (epoch ms), stays: it
 * may be what woke the Pool, and moving it would cancel it.
 */
export function armPool(pool: Pool, armedAt: number | null): void {
  const due = nextDue(pool);
  pool.alarm.adopt(armedAt);
  if (due !== null) pool.alarm.by(due);
}

/** When a Pool must look after something though nobody calls it (epoch ms); null when never. */
export function nextDue(pool: Pool): number | null {
  return earliest(dueTimes(pool));
}

/** Looks at the connections of waiting jobs by `at` (epoch ms): every minute while jobs wait, and sooner on request. */
export function reviewBy(pool: Pool, at = pool.world.now() + REVIEW_EVERY_MS): void {
  const { timers } = pool;
  timers.reviewAt = Math.min(timers.reviewAt ?? at, at);
  pool.alarm.by(timers.reviewAt);
}

export function nextPrune(storage: PoolStorage): number | null {
  const oldest = storage.oldestFinishedAt();
  return oldest === null ? null : oldest + FINISHED_JOB_IDS_KEEP_MS + PRUNE_EVERY_MS;
}

function* dueTimes(pool: Pool): Generator<number | null> {
  const { jobs, agents, timers } = pool;
  yield timers.reviewAt;
  yield timers.tellEndsAt;
  yield timers.flushAt;
  yield agents.records.dueAt;
  yield timers.pruneAt;
  yield agents.forgetAt;
  yield timers.tellCredentialsAt;
  yield agents.watchAt(jobs.holders().length > 0);
  yield pool.unfetched.earliest;
  yield firstOfJobs(pool);
  yield firstSilence(pool);
}

/** Loops, not generators: there may be a hundred thousand jobs, and ten thousand agents. */
function firstOfJobs({ jobs, agents }: Pool): number | null {
  let first = Infinity;
  for (const live of jobs.all()) {
    // Whoever keeps it busy sees to it that it is looked at afterwards.
    if (live.busy !== null) continue;
    const deadline = deadlineOf(live, agents);
    if (deadline !== null && deadline.at < first) first = deadline.at;
    const lost = lostFrom(live, agents);
    if (lost !== null && lost < first) first = lost;
  }
  return first === Infinity ? null : first;
}

function firstSilence({ agents }: Pool): number | null {
  let first = Infinity;
  for (const { presence } of agents.members()) {
    if (presence.offline || presence.lastHeartbeatAt === null) continue;
    first = Math.min(first, Math.max(presence.lastHeartbeatAt, agents.graceFrom ?? 0) + OFFLINE_AFTER_MS);
  }
  return first === Infinity ? null : first;
}
