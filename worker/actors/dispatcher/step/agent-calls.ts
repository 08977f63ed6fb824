import { parseHeld } from "../../../../schema/contract/agent.ts";
import type { HeartbeatRequest, JobResult, LeaseRef } from "../../../../schema/contract/agent.ts";
import { CREDENTIAL_VERSION_MAX } from "../../../../schema/limits.ts";
import type { HeldCredential, HeldCredentials } from "../../../domain/credential/judge-reported.ts";
import type { Effects, ResultVerdict } from "../events.ts";
import type { AgentCaller, PollRequest, DispatcherRefusal } from "../rpc.ts";
import { actionsBeside } from "../../../domain/abilities.ts";
import { endJob, lostHere, queueAgain, releaseJob, reportOf } from "../rules/job.ts";
import { judgeLease } from "../rules/judge-result.ts";
import { goesOn } from "../rules/lost-job.ts";
import type { Agent, AgentRegistration } from "../state/agent.ts";
import { inQueueOrder } from "../state/job-queue.ts";
import type { DispatcherState } from "../state/state.ts";
import { wake } from "./handler.ts";
import { begunAt, cancelledAmong, keepShown, missingAmong, noteHeld } from "./leases.ts";
import { loseFrom } from "./losses.ts";
import type { Handler } from "./handler.ts";

export interface AdmittedAgent {
  agent: Agent;
  registration: AgentRegistration;
}

/**
 * Whether the dispatcher serves a call: the key must not be older than the known one (invariant 8), and the process
 * must be the one that registered last (docs/design/dispatch.md#agent-settings).
 */
export function admit({ agents }: DispatcherState, caller: AgentCaller): AdmittedAgent | DispatcherRefusal {
  const agent = agents.get(caller.agentId);
  if (agent === undefined) return { refused: "register_again" };
  if (caller.epoch < agent.settings.epoch) return { refused: "unauthorized" };
  const { registration } = agent;
  if (agent.settings.removed || registration === null) return { refused: "register_again" };
  return caller.instanceId === registration.instanceId ? { agent, registration } : { refused: "superseded" };
}

/** From now on only this process of the agent is served. Jobs that were delivered to another journal are lost. */
export const registered: Handler<"registered"> = (state, { caller, order, fingerprint }, now, effects) => {
  const { settings, request } = order;
  const known = state.agents.get(caller.agentId);
  if (known !== undefined && settings.epoch < known.settings.epoch) return () => ({ refused: "unauthorized" });
  const isOther = known?.registration != null && known.registration.instanceId !== request.instanceId;
  if (isOther) effects.closeSockets.add(caller.agentId);
  const { instanceId, journalId, maxConcurrentJobs, pollIntervalSeconds, features, actions, capabilities } = request;
  const registration: AgentRegistration = {
    instanceId,
    journalId,
    maxConcurrentJobs,
    pollIntervalMs: pollIntervalSeconds * 1_000,
    fingerprint,
    features,
    actions: actionsBeside(actions),
    // An agent that knows only protocol 1 answers a test of any type, if only with an error.
    types: actions === undefined ? undefined : capabilities,
  };
  const agent = state.agents.register(settings, registration, now);
  // The registration counts as a poll. An agent that keeps restarting must not keep jobs that another could take.
  for (const live of state.jobs.reservedFor(caller.agentId)) state.jobs.reserve(live, releaseJob(live.job));
  state.changed.add(caller.agentId);
  return () => ({ enabled: agent.settings.enabled });
};

/**
 * An agent asks for work. It gets the delivered jobs that it does not hold, under the same lease (invariant 3), and its
 * reserved ones. A poll that finds nothing to deliver reads and writes nothing (invariant 7).
 */
export const polled: Handler<"polled"> = (state, { caller, request }, now) => {
  const { agents, jobs } = state;
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  const { agent } = admitted;
  const { agentId } = caller;
  agents.heard(agent, "poll", now);
  noteHeld(state, agentId, request.held, now);
  keepShown(state, agentId);
  endCancelled(state, agentId, request, now);
  // The reported room holds until the next report. Jobs that are sent again take part of it, too.
  agent.reportedRoom = Math.max(0, request.capacity - missingAmong(state, agentId, request.held).length);
  agent.polls += 1;
  state.changed.add(agentId);
  return () => {
    const again = agent.settings.enabled ? missingAmong(state, agentId, request.held).map(({ live }) => live) : [];
    const found = [...again, ...inQueueOrder(jobs.reservedFor(agentId))];
    if (found.length === 0) agent.polls -= 1;
    return { jobs: found, cancelled: cancelledAmong(state, agentId, request.held) };
  };
};

/** Records that an agent lives and its credentials, and answers with the leases to stop. Writes only changes. */
export const heartbeatReceived: Handler<"heartbeatReceived"> = (state, { caller, request }, now, effects) => {
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  const { agent } = admitted;
  const held = request.held.map(parseHeld);
  state.agents.heard(agent, "heartbeat", now);
  noteHeld(state, caller.agentId, held, now);
  keepShown(state, caller.agentId);
  if (request.draining === true) drain(state, agent, held, now);
  state.agents.reportCredentials(agent, credentialsIn(request));
  state.changed.add(caller.agentId);
  // An agent with a wake socket seldom polls unasked, and jobs that it did not get are sent again with its next poll.
  if (missingAmong(state, caller.agentId, held).length > 0 && agent.polls === 0) wake(state, agent, effects, now);
  return () => ({ enabled: agent.settings.enabled, cancelled: cancelledAmong(state, caller.agentId, held) });
};

/** Each result is checked against its job's lease (invariant 2). */
export const resultsReported: Handler<"resultsReported"> = (state, { caller, results }, now, effects) => {
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  state.agents.heard(admitted.agent, "results", now);
  state.changed.add(caller.agentId);
  const verdicts = results.map((result) => judgeResult(state, admitted.agent, result, now, effects));
  return () => verdicts;
};

/**
 * A goodbye: the agent is offline immediately and gets no further jobs. Its jobs stay its own for as long as those of a
 * silent agent, because it may still hold results.
 */
export const wentOffline: Handler<"wentOffline"> = (state, { caller }, now, effects) => {
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  state.agents.setPresence(admitted.agent, { lastSeenAt: now, offline: true });
  effects.closeSockets.add(caller.agentId);
  state.changed.add(caller.agentId);
  return () => ({});
};

/** The agent opens its wake socket, which counts as a heartbeat. */
export const socketOpened: Handler<"socketOpened"> = (state, { caller }, now) => {
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  state.agents.heard(admitted.agent, "heartbeat", now);
  state.changed.add(caller.agentId);
  return () => ({});
};

/** Keeps when the agent was heard through the socket: it may open another one. */
export const socketClosed: Handler<"socketClosed"> = (state, { agentId, heardAt }) => {
  const agent = state.agents.get(agentId);
  if (agent !== undefined) state.agents.keepSocketHeard(agent, heardAt);
  state.changed.add(agentId);
  // Without this, the next load would take the missing sockets for an outage.
  if (state.agents.sockets.size === 0) {
    state.watch = { ...state.watch, sockets: 0 };
    state.watchChanged = true;
  }
  return () => {};
};

/**
 * An agent that asks for work and never showed the lease has not begun the job, so the cancel needs no answer. If it
 * did show the lease it may be at work: this poll may be a delayed older one.
 */
function endCancelled(state: DispatcherState, agentId: string, { held }: PollRequest, now: number): void {
  for (const { live, stage } of missingAmong(state, agentId, held)) {
    const hasNotBegun = stage.cancelRequested && live.lastReport?.wasShown !== true;
    if (hasNotBegun) state.jobs.change(live, endJob(live.job, "cancelled", now));
  }
}

/** The agent gets no further jobs. Jobs that it never showed go to others immediately, because its polls have ended. */
function drain(state: DispatcherState, agent: Agent, held: readonly LeaseRef[], now: number): void {
  const { agentId, name } = agent.settings;
  for (const { live } of missingAmong(state, agentId, held)) {
    if (live.lastReport?.wasShown === true) continue;
    const { facts, stage } = lostHere(
      live.job,
      { startedAt: null, why: `Agent ${name} shut down before it began the job.` },
      now,
    );
    // An agent that shuts down again and again is the last choice.
    state.jobs.change(live, queueAgain({ facts: { ...facts, lostBy: agentId }, stage }));
  }
  if (agent.presence.draining !== true) state.agents.setPresence(agent, { draining: true });
}

/** A hostile agent may report more credentials than one row of storage holds. The rest is ignored. */
const CREDENTIALS_MAX_CHARS = 1_200_000;

function credentialsIn({ credentials }: HeartbeatRequest): HeldCredentials {
  const held = new Map<string, HeldCredential>();
  let chars = 0;
  for (const { connectionId, version, target, changedAt } of credentials) {
    const credential = {
      version: Math.min(version, CREDENTIAL_VERSION_MAX),
      ...(target === undefined ? {} : { target }),
      ...(changedAt === undefined ? {} : { changedAt }),
    };
    chars += JSON.stringify([connectionId, credential]).length + 1;
    if (chars > CREDENTIALS_MAX_CHARS) return held;
    held.set(connectionId, credential);
  }
  return held;
}

function judgeResult(
  state: DispatcherState,
  { settings: { agentId, name } }: Agent,
  result: JobResult,
  now: number,
  effects: Effects,
): ResultVerdict {
  const { jobs } = state;
  const live = jobs.get(result.jobId);
  const stage = live?.job.stage;
  // The usual case needs no query.
  const isValid = stage?.type === "delivered" && stage.lease === result.lease;
  const verdict = judgeLease(live?.job ?? null, isValid ? [] : jobs.finished(result.jobId), agentId, result);
  if (verdict === "duplicate") return { type: "answer", result, ack: verdict };
  if (verdict !== "current" || live === undefined) {
    return { type: "record", result, ack: verdict === "stale" ? "stale" : "unknown" };
  }
  if (!live.isReporting && result.status === "interrupted" && goesOn(live.job)) {
    const what = `Agent ${name} was interrupted while it ran the job.`;
    loseFrom(state, live, { agentId, loss: "interrupted", what, begunAt: begunAt(live) }, now, effects);
    return { type: "answer", result, ack: "accepted" };
  }
  const end = { report: reportOf(live.job, result, name, now), lease: result.lease, by: "result" as const };
  const isFirst = !live.isReporting;
  jobs.setReporting(live, true);
  return { type: "report", result, live, end, isFirst };
}
