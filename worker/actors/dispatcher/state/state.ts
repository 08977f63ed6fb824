import { NOT_PAUSED } from "../../../domain/control.ts";
import type { ControlState } from "../../../domain/control.ts";
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
/** How often a dispatcher notes that it is at work: `busy` while agents hold jobs, otherwise `idle`. */
export const WATCH_EVERY_MS = { busy: 20 * SECOND_MS, idle: 300 * SECOND_MS };
/** An alarm may be this late without an outage. */
const LATE_AT_MOST_MS = 10 * SECOND_MS;

/** Finished jobs are forgotten after a day, in hourly portions. */
const PRUNE_AFTER_MS = FINISHED_JOB_IDS_KEEP_MS + 3_600 * SECOND_MS;

/** A dispatcher's record of when it was at work. Times are epoch milliseconds. */
export interface Watch {
  /** When the record was last written; 0 when never. */
  readonly aliveAt: number;
  /** The latest time for the next write. */
  readonly nextAt: number;
  readonly graceFrom: number | null;
  /** How many wake sockets were open. */
  readonly sockets: number;
  /** When libSQL last recorded heartbeats; 0 when never. */
  readonly recordedAt: number;
}

/** When the dispatcher's own tasks are due (epoch ms); null for never. */
export interface Timers {
  /** When the connections of waiting jobs are next read. */
  reviewAt: number | null;
  /** Connections that were edited since the last read. */
  readonly edited: Set<string>;
  pruneAt: number | null;
  /** The earliest time to record heartbeats again after a failure. */
  recordHeartbeatsFrom: number;
  /** `recordedAt` of the watch before the last try (epoch ms). */
  recordedBefore: number;
  /** True while the last try to read connections failed. */
  databaseSilent: boolean;
  /** When the control object is read again, while jobs wait for the end of a pause. */
  controlAt: number | null;
}

/** The whole state of a dispatcher. Only `step` changes it. */
export interface DispatcherState {
  /** The time of the last step (epoch ms). */
  now: number;
  readonly agents: AgentRegistry;
  readonly jobs: JobTable;
  /** The agents with room, the best first. */
  readonly ready: ReadyList;
  /** Agents that `reconcile` must look at. */
  readonly changed: Set<string>;
  /** When `reconcile` must look at agents even without an event. */
  readonly checks: DueTimes;
  readonly timers: Timers;
  /** The state of the control object, and when it was read (epoch ms). */
  control: ControlState & { readonly readAt: number };
  watch: Watch;
  /** Set when storage must write `watch`, or forget jobs that finished by `pruneBefore` (epoch ms). */
  watchChanged: boolean;
  pruneBefore: number | null;
}

/** The stored part of the state. */
export interface StoredState {
  readonly agents: readonly StoredAgent[];
  readonly presences: ReadonlyMap<string, Presence>;
  readonly jobs: readonly StoredJob[];
  readonly watch: Watch;
  /** When agents last finished a job (epoch ms). */
  readonly lastFinished: ReadonlyMap<string, number>;
  readonly outcomes: readonly { agentId: string; minuteStart: number; succeeded: boolean; count: number }[];
  /** The attempts of these jobs that are over. */
  finished(jobIds: readonly string[]): FinishedJob[];
  /** When the first job after `after` was finished (epoch ms); null when there is none. */
  oldestFinishedAt(after: number): number | null;
}

/** When to forget finished jobs (epoch ms), of which the first ended at `oldestAt`. */
export function pruneAtOf(oldestAt: number | null): number | null {
  return oldestAt === null ? null : oldestAt + PRUNE_AFTER_MS;
}

/** The state of a dispatcher that was put to sleep or ended at any point. */
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
  // An idle dispatcher sleeps with its sockets open. It was away only if a note is overdue or its sockets are gone.
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
      controlAt: null,
    },
    control: { ...NOT_PAUSED, readAt: -Infinity },
    watch: { ...stored.watch, graceFrom, sockets: sockets.size },
    watchChanged: wasAway,
    pruneBefore: null,
  };
  return state;
}
