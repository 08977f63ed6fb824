import { FINISHED_JOB_IDS_KEEP_MS, HEARTBEATS_RECORDED_EVERY_MS } from "../../../../schema/limits.ts";
import type { Effects } from "../events.ts";
import { WATCH_EVERY_MS, pruneAtOf } from "../state/state.ts";
import type { DispatcherState } from "../state/state.ts";
import type { Handler } from "./handler.ts";

const SECOND_MS = 1_000;
const REVIEW_EVERY_MS = 60 * SECOND_MS;
const RETRY_AFTER_MS = 15 * SECOND_MS;

/** Performs the dispatcher's own tasks that are due. */
export const alarmFired: Handler<"alarmFired"> = (state, _event, now, effects) => {
  const { agents, jobs, timers } = state;
  if ((agents.flushAt ?? Infinity) <= now) agents.flush();
  if ((agents.forgetAt ?? Infinity) <= now) agents.forgetRemoved(now);
  if ((timers.pruneAt ?? Infinity) <= now) {
    state.pruneBefore = now - FINISHED_JOB_IDS_KEEP_MS;
    timers.pruneAt = pruneAtOf(jobs.oldestFinishedAt(state.pruneBefore));
  }
  if ((timers.reviewAt ?? Infinity) <= now) review(state, now, effects);
  if ((heartbeatsAt(state) ?? Infinity) <= now) recordHeartbeats(state, now, effects);
  if ((watchAt(state) ?? Infinity) <= now) watch(state, now, effects);
  return () => {};
};

export const heartbeatsNotRecorded: Handler<"heartbeatsNotRecorded"> = (state, _event, now) => {
  state.agents.hasNewHeartbeats = true;
  state.watch = { ...state.watch, recordedAt: state.timers.recordedBefore };
  state.timers.recordHeartbeatsFrom = now + RETRY_AFTER_MS;
  return () => {};
};

/** When each task is due (epoch ms); null for a task that is not. */
export function tasksDueAt(state: DispatcherState): (number | null)[] {
  const { agents, timers } = state;
  const { reviewAt, pruneAt, controlAt } = timers;
  return [reviewAt, pruneAt, controlAt, agents.flushAt, agents.forgetAt, watchAt(state), heartbeatsAt(state)];
}

/**
 * Polls read only the connections of jobs that an agent can take. Other jobs must also end or move when their
 * connection is disabled, deleted or assigned elsewhere.
 */
function review({ agents, jobs, timers, changed }: DispatcherState, now: number, effects: Effects): void {
  const waiting = jobs.waiting();
  // A ping is no event, so a silent agent may be back.
  if (waiting.length > 0) for (const { settings } of agents.members()) changed.add(settings.agentId);
  timers.reviewAt = waiting.length === 0 ? null : now + REVIEW_EVERY_MS;
  // Without jobs libSQL is no longer asked, and its old failure says nothing about later jobs.
  if (waiting.length + timers.edited.size === 0) timers.databaseSilent = false;
  else effects.review = { jobs: waiting, edited: [...timers.edited] };
  timers.edited.clear();
}

/** Notes that the dispatcher is at work, so that its own outage is not taken for silence of the agents. */
function watch(state: DispatcherState, now: number, effects: Effects): void {
  for (const agent of state.agents.noteSilence(now)) effects.closeSockets.add(agent.settings.agentId);
  state.agents.flush();
  state.watch = {
    ...state.watch,
    aliveAt: now,
    nextAt: now + WATCH_EVERY_MS[state.jobs.someAreHeld ? "busy" : "idle"],
    sockets: state.agents.sockets.size,
  };
  state.watchChanged = true;
}

/** Null while there is no agent whose silence matters. */
function watchAt({ agents, jobs, watch: { aliveAt, nextAt } }: DispatcherState): number | null {
  if (jobs.someAreHeld) return Math.min(nextAt, aliveAt + WATCH_EVERY_MS.busy);
  return agents.someIsOnline ? nextAt : null;
}

/** Recorded for all agents together, and seldom: libSQL's record is read only while the dispatcher does not answer. */
function recordHeartbeats(state: DispatcherState, now: number, effects: Effects): void {
  const { agents, timers, watch } = state;
  const heartbeats = agents.takeHeartbeats(watch.recordedAt);
  timers.recordedBefore = watch.recordedAt;
  state.watch = { ...watch, recordedAt: now };
  if (heartbeats.length === 0) return;
  state.watchChanged = true;
  effects.heartbeats = heartbeats;
}

/** When libSQL must record heartbeats (epoch ms); null when it has all of them. */
function heartbeatsAt({ agents, timers, watch }: DispatcherState): number | null {
  const hasNews = agents.hasNewHeartbeats || agents.sockets.size > 0;
  if (!hasNews) return null;
  return Math.max(watch.recordedAt + HEARTBEATS_RECORDED_EVERY_MS, timers.recordHeartbeatsFrom);
}
