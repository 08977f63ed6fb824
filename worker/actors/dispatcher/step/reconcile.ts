import { OFFLINE_AFTER_MS, PAUSE_FOLLOWED_WITHIN_MS } from "../../../../schema/limits.ts";
import { earliest } from "../../kit/earliest.ts";
import type { Effects } from "../events.ts";
import { obstacleButRoom } from "../rules/candidate.ts";
import { endJob, releaseJob, reserveJob, waitsInPause } from "../rules/job.ts";
import { abilitiesOf, usableCredentials } from "../state/agent.ts";
import type { Agent } from "../state/agent.ts";
import { candidateOf, roomOf, toWaitingJob } from "../state/candidates.ts";
import { inQueueOrder } from "../state/job-queue.ts";
import type { DispatcherState } from "../state/state.ts";
import { WaitingReasons } from "../state/waiting-reasons.ts";
import { lookForResume } from "./control.ts";
import { wake } from "./handler.ts";
import { loseJobsOf, lostFrom } from "./losses.ts";
import { tasksDueAt } from "./alarm-tasks.ts";

const SECOND_MS = 1_000;
/** How often an agent that does not poll is woken again: a message through a socket may be lost. */
const WAKE_AGAIN_MS = 2 * SECOND_MS;
const WAKE_AGAIN_FOR_MS = 15 * SECOND_MS;
/** Longer than reading the control object takes. */
const LOOK_AGAIN_MS = 2 * SECOND_MS;

/**
 * Draws the consequences of an event, or of passing time (docs/design/dispatch.md#dispatchers). The cost depends on the
 * number of changes, not on the number of waiting jobs or agents.
 */
export function reconcile(state: DispatcherState, now: number, effects: Effects): void {
  endOverdue(state, now, effects);
  for (const agentId of state.checks.takeDue(now)) state.changed.add(agentId);
  lookAtUnread(state);
  for (const agentId of state.changed) giveUp(state, agentId, now, effects);
  for (const agentId of state.changed) offer(state, agentId);
  reserveWaiting(state, now);
  for (const agentId of state.changed) followUp(state, agentId, now, effects);
  state.changed.clear();
  lookForResume(state, now, effects);
}

/** When `reconcile` must run even without an event (epoch ms); null for never. */
export function nextDue(state: DispatcherState): number | null {
  return earliest([...tasksDueAt(state), state.jobs.deadlines.earliest, state.checks.earliest]);
}

function endOverdue(state: DispatcherState, now: number, effects: Effects): void {
  const overdue = state.jobs.deadlines.takeDue(now);
  const reasons = new WaitingReasons(state, now);
  for (const jobId of overdue) {
    const live = state.jobs.get(jobId);
    const deadline = live === undefined ? null : state.jobs.deadlineOf(live);
    if (live === undefined || deadline === null) continue;
    const { facts, stage } = live.job;
    // During a pause, its time does not run.
    const isUnsure = now - state.control.readAt > PAUSE_FOLLOWED_WITHIN_MS;
    if (isUnsure && deadline.end === "queue_timeout" && waitsInPause(facts)) {
      state.jobs.deferEnd(live, now + LOOK_AGAIN_MS);
      effects.readControl = true;
      continue;
    }
    const holder = stage.type === "delivered" ? state.agents.get(stage.agentId) : undefined;
    const why = deadline.end === "queue_timeout" ? `Reason for the wait: ${reasons.of(live).detail}` : null;
    state.jobs.change(live, endJob(live.job, deadline.end, now, why));
    // The agent must stop the job.
    if (holder !== undefined) wake(state, holder, effects, now);
  }
}

/**
 * Until a connection has been read, its jobs are assumed to need a credential if any agent holds one (`toWaitingJob`),
 * so they are regrouped when that changes.
 */
function lookAtUnread({ agents, jobs, changed }: DispatcherState): void {
  for (const connectionId of agents.credentials.takeTurned()) {
    jobs.queue.reopenUnread(connectionId);
    for (const agentId of jobs.agentsOfUnread(connectionId)) changed.add(agentId);
  }
}

/** Gives up the agent's lost jobs, and releases reservations that it can no longer take or has no room for. */
function giveUp(state: DispatcherState, agentId: string, now: number, effects: Effects): void {
  const { jobs } = state;
  const agent = state.agents.get(agentId);
  if (agent !== undefined) state.agents.noteDegraded(agent, now);
  loseJobsOf(state, agentId, now, effects);
  if (jobs.countReservedFor(agentId) === 0) return;
  const candidate = agent === undefined || agent.settings.removed ? null : candidateOf(state, agent, now);
  for (const live of jobs.reservedFor(agentId)) {
    const isFree = candidate !== null && obstacleButRoom(toWaitingJob(live, state.agents), candidate) === null;
    if (!isFree) jobs.reserve(live, releaseJob(live.job));
  }
  const tooMany = agent === undefined ? 0 : -roomOf(state, agent);
  if (tooMany <= 0) return;
  // The newest reservations are released.
  for (const live of inQueueOrder(jobs.reservedFor(agentId)).slice(-tooMany)) jobs.reserve(live, releaseJob(live.job));
}

/** An agent with room may take jobs that found none before. */
function offer({ agents, jobs, ready }: DispatcherState, agentId: string): void {
  if (ready.renew(agentId) === null) return;
  const agent = agents.get(agentId);
  if (agent === undefined) return;
  jobs.queue.reopenFor(agentId, { credentials: usableCredentials(agent), abilities: abilitiesOf(agent) });
}

function reserveWaiting(state: DispatcherState, now: number): void {
  const { jobs, ready } = state;
  const { queue } = jobs;
  for (let live = queue.next; live !== undefined && ready.size > 0; live = queue.next) {
    if (state.control.pause !== null && waitsInPause(live.job.facts)) {
      queue.hold();
      continue;
    }
    const job = toWaitingJob(live, state.agents);
    const agentId = ready.best(job);
    if (agentId === null) {
      queue.block(job);
      continue;
    }
    jobs.reserve(live, reserveJob(live.job, agentId, now));
    ready.renew(agentId);
  }
}

/** Wakes the agent for its reserved jobs, and sets when to look at it again. */
function followUp(state: DispatcherState, agentId: string, now: number, effects: Effects): void {
  const agent = state.agents.get(agentId);
  if (agent === undefined) {
    state.checks.set(agentId, null);
    return;
  }
  const isReserved = state.jobs.countReservedFor(agentId) > 0;
  const isReachable = agent.polls === 0 && state.agents.socketHeardAt(agent) !== null;
  // While libSQL does not answer, a poll would deliver nothing.
  const isNews = isReserved && agent.wokenAt === null && !state.timers.databaseSilent;
  const isOverdue = agent.wokenAt !== null && wakeAgainAt(agent) !== null && now >= agent.lastWakeAt + WAKE_AGAIN_MS;
  if (isReachable && (isNews || isOverdue)) wake(state, agent, effects, now);
  state.checks.set(agentId, checkAt(state, agent, isReserved, isReachable));
}

function checkAt(state: DispatcherState, agent: Agent, isReserved: boolean, isReachable: boolean): number | null {
  const { agents, jobs } = state;
  const heldUntil = jobs.heldBy(agent.settings.agentId).map(({ live }) => lostFrom(state, live));
  const until = Math.min(agents.pollingUntil(agent) ?? 0, agents.heardAt(agent) + OFFLINE_AFTER_MS);
  return earliest([...heldUntil, isReserved ? until : null, isReachable ? wakeAgainAt(agent) : null]);
}

/** When an agent that was woken and has not polled is woken again (epoch ms); null for not again. */
function wakeAgainAt({ wokenAt, lastWakeAt }: Agent): number | null {
  if (wokenAt === null) return null;
  const at = lastWakeAt + WAKE_AGAIN_MS;
  return at < wokenAt + WAKE_AGAIN_FOR_MS ? at : null;
}
