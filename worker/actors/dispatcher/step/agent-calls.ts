import { parseHeld } from "../../../../schema/contract/agent.ts";
import type { HeartbeatRequest, JobResult, LeaseRef } from "../../../../schema/contract/agent.ts";
import { CREDENTIAL_VERSION_MAX } from "../../../../schema/limits.ts";
import type { HeldCredential, HeldCredentials } from "../../../domain/credential/judge-told.ts";
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
 * Whether the dispatcher serves a call: the key must not be older than what it knows (invariant 8), and the process must
 * be the one that registered last.
 */
export function admit({ agents }: DispatcherState, caller: AgentCaller): AdmittedAgent | DispatcherRefusal {
  const agent = agents.get(caller.agentId);
  if (agent === undefined) return { refused: "register_again" };
  if (caller.epoch < agent.settings.epoch) return { refused: "unauthorized" };
  const { registration } = agent;
  if (agent.settings.removed || registration === null) return { refused: "register_again" };
  return caller.instanceId === registration.instanceId ? { agent, registration } : { refused: "superseded" };
}

/** From now on this process of the agent is served, and no other. What was delivered to another journal is lost. */
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
    // An agent of protocol 1 alone answers a test of any type, if only by what it lacks.
    types: actions === undefined ? undefined : capabilities,
  };
  const agent = state.agents.register(settings, registration, now);
  // It counts as asking for jobs from now on: one that starts again and again must not keep what another could have.
  for (const live of state.jobs.reservedFor(caller.agentId)) state.jobs.reserve(live, releaseJob(live.job));
  state.changed.add(caller.agentId);
  return () => ({ enabled: agent.settings.enabled });
};

/**
 * An agent asks for work: it gets what was delivered to it and it does not hold, under the same lease (invariant 3), and
 * what is reserved for it. A poll that finds nothing to give reads and writes nothing (invariant 7).
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
  // What it says of its room holds until it says something else; what is sent again takes of it, too.
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

/** Notes that an agent lives and what credentials it has; tells it what to stop. Writes nothing that did not change. */
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
  // An agent with a wake socket seldom polls by itself: what it did not get is sent again with its next poll.
  if (missingAmong(state, caller.agentId, held).length > 0 && agent.polls === 0) wake(state, agent, effects, now);
  return () => ({ enabled: agent.settings.enabled, cancelled: cancelledAmong(state, caller.agentId, held) });
};

/** Results: each is checked against its job's lease (invariant 2). */
export const resultsReported: Handler<"resultsReported"> = (state, { caller, results }, now, effects) => {
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  state.agents.heard(admitted.agent, "results", now);
  state.changed.add(caller.agentId);
  const verdicts = results.map((result) => judgeResult(state, admitted.agent, result, now, effects));
  return () => verdicts;
};

/**
 * The agent says goodbye: it is offline at once and gets nothing more. What it still holds, results that it could not
 * deliver, waits for it as long as for any silent agent.
 */
export const wentOffline: Handler<"wentOffline"> = (state, { caller }, now, effects) => {
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  state.agents.setPresence(admitted.agent, { lastSeenAt: now, offline: true });
  effects.closeSockets.add(caller.agentId);
  state.changed.add(caller.agentId);
  return () => ({});
};

/** The agent opens its wake socket, which is a call like a heartbeat. */
export const socketOpened: Handler<"socketOpened"> = (state, { caller }, now) => {
  const admitted = admit(state, caller);
  if ("refused" in admitted) return () => admitted;
  state.agents.heard(admitted.agent, "heartbeat", now);
  state.changed.add(caller.agentId);
  return () => ({});
};

/** What was heard through the socket counts on: the agent may open another one. */
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
 * The agent asks for work and never had it, so it did not begin: its cancel needs no answer. What it did show once it may
 * be working at: a poll that does not name it may be an old one that was held up.
 */
function endCancelled(state: DispatcherState, agentId: string, { held }: PollRequest, now: number): void {
  for (const { live, stage } of missingAmong(state, agentId, held)) {
    const hasNotBegun = stage.cancelRequested && live.lastReport?.wasShown !== true;
    if (hasNotBegun) state.jobs.change(live, endJob(live.job, "cancelled", now));
  }
}

/** It gets nothing more, and what it does not hold by now goes to others at once: its polls have ended. */
function drain(state: DispatcherState, agent: Agent, held: readonly LeaseRef[], now: number): void {
  const { agentId, name } = agent.settings;
  for (const { live } of missingAmong(state, agentId, held)) {
    if (live.lastReport?.wasShown === true) continue;
    const { facts, stage } = lostHere(
      live.job,
      { startedAt: null, why: `Agent ${name} shut down before it began.` },
      now,
    );
    // An agent that shuts down again and again is the last to get it.
    state.jobs.change(live, queueAgain({ facts: { ...facts, lostBy: agentId }, stage }));
  }
  if (agent.presence.draining !== true) state.agents.setPresence(agent, { draining: true });
}

/** A hostile agent may report more than a row of storage holds: what is beyond that it does not have. */
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
  const verdict = judgeLease(live?.job ?? null, jobs.finished(result.jobId), agentId, result);
  if (verdict === "duplicate") return { type: "answer", result, ack: verdict };
  if (verdict !== "current" || live === undefined) {
    return { type: "record", result, ack: verdict === "stale" ? "stale" : "unknown" };
  }
  if (!live.isReporting && result.status === "interrupted" && goesOn(live.job)) {
    const what = `Agent ${name} was interrupted at it.`;
    loseFrom(state, live, { agentId, loss: "interrupted", what, begunAt: begunAt(live) }, now, effects);
    return { type: "answer", result, ack: "accepted" };
  }
  const end = { report: reportOf(live.job, result, name, now), lease: result.lease, by: "result" as const };
  const isFirst = !live.isReporting;
  jobs.setReporting(live, true);
  return { type: "report", result, live, end, isFirst };
}
