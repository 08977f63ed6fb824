import { FINISHED_JOB_IDS_KEEP_MS } from "../../../../schema/limits.ts";
import { DueTimes } from "../../kit/due-times.ts";
import type { Presence } from "../rules/health.ts";
import type { FinishedJob } from "../rules/judge-result.ts";
import { ReadyList } from "../rules/ready-list.ts";
import { toAgent } from "./agent.ts";
import type { OpenSockets, StoredAgent } from "./agent.ts";
import { AgentRegistry } from "./agent-registry.ts";
import { candidateOf } from "./candidates.ts";
import { JobTable } from "./job-table.ts";
import type { StoredJob } from "./job-table.ts";

const SECOND_MS = 1_000;
/** How often a dispatcher writes down that it is at work: while agents hold jobs, and otherwise. */
export const WATCH_EVERY_MS = { busy: 20 * SECOND_MS, idle: 300 * SECOND_MS };
/** An alarm may be so late without an outage. */
const LATE_AT_MOST_MS = 10 * SECOND_MS;

/** Finished jobs are forgotten after a day, in hourly portions. */
const PRUNE_AFTER_MS = FINISHED_JOB_IDS_KEEP_MS + 3_600 * SECOND_MS;

/** A dispatcher's own record of when it was at work. Times are epoch milliseconds. */
export interface Watch {
  /** When this was last written; 0 when never. */
  readonly aliveAt: number;
  /** By when it was to be written again. */
  readonly nextAt: number;
  readonly graceFrom: number | null;
  /** How many wake sockets were open. */
  readonly sockets: number;
  /** When libSQL last recorded heartbeats; 0 when never. */
  readonly recordedAt: number;
}

/** When the dispatcher's own tasks are due (epoch ms); null when they are not. */
export interface Timers {
  /** The next look at the connections of jobs that wait. */
  reviewAt: number | null;
  /** Connections that were edited since the last look. */
  readonly edited: Set<string>;
  pruneAt: number | null;
  /** libSQL is not asked to record heartbeats before, after a try that failed. */
  recordHeartbeatsFrom: number;
  /** When libSQL had recorded heartbeats before the last try (epoch ms). */
  recordedBefore: number;
  /** True while the last try to read connections failed. */
  databaseSilent: boolean;
}

/** All that a dispatcher knows. `step` alone changes it. */
export interface DispatcherState {
  /** When the last step was taken (epoch ms). */
  now: number;
  readonly agents: AgentRegistry;
  readonly jobs: JobTable;
  /** The agents that have room, the best first. */
  readonly ready: ReadyList;
  /** Agents that `reconcile` has to look at. */
  readonly changed: Set<string>;
  /** When it has to look at agents though nothing happens. */
  readonly checks: DueTimes;
  readonly timers: Timers;
  watch: Watch;
  /** Set when storage must write `watch`, and when it must forget finished jobs up to a time (epoch ms). */
  watchChanged: boolean;
  pruneBefore: number | null;
}

/** What storage gives when the dispatcher is loaded. */
export interface StoredState {
  readonly agents: readonly StoredAgent[];
  readonly presences: ReadonlyMap<string, Presence>;
  readonly jobs: readonly StoredJob[];
  readonly watch: Watch;
  /** When agents last finished a job (epoch ms). */
  readonly lastFinished: ReadonlyMap<string, number>;
  readonly outcomes: readonly { agentId: string; minuteStart: number; succeeded: boolean; count: number }[];
  /** Attempts of these jobs that are over. */
  finished(jobIds: readonly string[]): FinishedJob[];
  /** When the first job after `after` was finished (epoch ms); null when there is none. */
  oldestFinishedAt(after: number): number | null;
}

/** When finished jobs are to be forgotten (epoch ms), of which the first ended at `oldestAt`. */
export function pruneAtOf(oldestAt: number | null): number | null {
  return oldestAt === null ? null : oldestAt + PRUNE_AFTER_MS;
}

/** The state of a dispatcher that was put to sleep, or ended in the middle of anything. */
export function loadState(stored: StoredState, sockets: OpenSockets, now: number): DispatcherState {
  const changed = new Set<string>();
  const agents = stored.agents.map((agent) => toAgent(agent, stored.presences.get(agent.settings.agentId)));
  const byId = new Map(agents.map((agent) => [agent.settings.agentId, agent]));
  for (const agent of agents) agent.lastBusyAt = stored.lastFinished.get(agent.settings.agentId) ?? 0;
  for (const { agentId, succeeded, minuteStart, count } of stored.outcomes)
    byId.get(agentId)?.outcomes.add(succeeded, minuteStart, count);
  const someAreHeld = stored.jobs.some(({ stage }) => stage.type === "delivered");
  const someIsOnline = agents.some(
    ({ settings, presence }) => !settings.removed && !presence.offline && presence.lastSeenAt !== null,
  );
  // With nothing to do it is put to sleep, and its sockets stay open: it was away when it did not write in time, or when
  // its sockets are gone.
  const isLate = now > stored.watch.nextAt + LATE_AT_MOST_MS;
  const wasAway = (someAreHeld || someIsOnline) && (isLate || (stored.watch.sockets > 0 && sockets.size === 0));
  const graceFrom = wasAway ? now : stored.watch.graceFrom;
  const registry = new AgentRegistry(agents, sockets, graceFrom);
  const jobs = new JobTable(stored.jobs, {
    graceFrom,
    loadChanged: (agentId) => changed.add(agentId),
    stored,
  });
  registry.hasNewHeartbeats = agents.some(({ presence }) => (presence.lastHeartbeatAt ?? 0) > stored.watch.recordedAt);
  for (const { settings } of registry.members()) changed.add(settings.agentId);
  const state: DispatcherState = {
    now,
    agents: registry,
    jobs,
    changed,
    ready: new ReadyList({
      candidate: (agentId) => {
        const agent = registry.member(agentId);
        return agent === undefined ? null : candidateOf(state, agent, state.now);
      },
      holders: (connectionId) => registry.credentials.holdersOf(connectionId),
    }),
    checks: new DueTimes(),
    timers: {
      reviewAt: jobs.queue.size > 0 ? now : null,
      edited: new Set(),
      pruneAt: pruneAtOf(stored.oldestFinishedAt(0)),
      recordHeartbeatsFrom: 0,
      recordedBefore: 0,
      databaseSilent: false,
    },
    watch: { ...stored.watch, graceFrom, sockets: sockets.size },
    watchChanged: wasAway,
    pruneBefore: null,
  };
  return state;
}
