import type { Job, JobsResponse } from "../../../schema/contract/agent.ts";
import { obstacleFor, planDispatch } from "../../domain/dispatch.ts";
import { assignJob, endJob, isWaiting, releaseJob } from "../../domain/job-lifecycle.ts";
import type { AgentCaller, PollRequest, PoolRefusal } from "../ports.ts";
import { admit } from "./admit.ts";
import type { AdmittedAgent } from "./admit.ts";
import { applyConnection } from "./apply-connection.ts";
import { Delivery } from "./delivery.ts";
import { cancelledAmong, missingAmong } from "./held-leases.ts";
import type { LiveJob } from "./job-book.ts";
import type { Pool } from "./pool.ts";
import { readConnectionsOf } from "./read-connections.ts";
import type { Readings } from "./read-connections.ts";
import { seatOf, seatsOf, toWaitingJob } from "./seats.ts";
import { tellEnds } from "./tell-ends.ts";

/** How many waiting jobs a poll looks at, per free place and beyond: some go to others, some end. */
const LOOK_AT_PER_PLACE = 2;
const LOOK_AT_LEAST = 10;

/**
 * Answers a poll: what was delivered to this agent and it does not hold, under the same lease (invariant 3), and new
 * jobs up to its room. A poll that finds nothing to give reads and writes nothing (invariant 7).
 */
export async function poll(pool: Pool, caller: AgentCaller, request: PollRequest): Promise<JobsResponse | PoolRefusal> {
  const admitted = admit(pool, caller);
  if ("refused" in admitted) return admitted;
  const { agent } = admitted;
  pool.agents.heard(agent, "poll", pool.world.now());
  endCancelled(pool, caller.agentId, request);
  const room = roomOf(pool, admitted, request);
  agent.toldFull = room <= 0;
  if (room <= 0) pool.jobs.releaseAllOf(caller.agentId);

  const again = agent.settings.enabled ? missingAmong(pool, caller.agentId, request.held).map(({ live }) => live) : [];
  const candidates = room <= 0 ? [] : candidatesFor(pool, admitted, room);
  const cancelled = () => cancelledAmong(pool, caller.agentId, request.held);
  if (again.length + candidates.length === 0) return { jobs: [], cancelled: cancelled() };

  const readings = await readConnectionsOf(pool, [...again, ...candidates]);
  // Another process may have registered meanwhile, and a person may have disabled or deleted the agent.
  const still = admit(pool, caller);
  if ("refused" in still) return still;
  const jobs = readings === null ? [] : giveOut(pool, still, request, { again, candidates, readings });
  pool.background(tellEnds(pool));
  return { jobs, cancelled: cancelled() };
}

interface Offer {
  again: readonly LiveJob[];
  candidates: readonly LiveJob[];
  readings: Readings;
}

/** From here to the answer nothing waits, so that no other poll comes between. */
function giveOut(pool: Pool, admitted: AdmittedAgent, request: PollRequest, offer: Offer): Job[] {
  const { agent, registration } = admitted;
  const { agentId } = agent.settings;
  if (!agent.settings.enabled) return [];
  const now = pool.world.now();
  const { readings } = offer;
  const delivery = new Delivery(pool, { to: { agentId, journalId: registration.journalId }, readings }, now);

  const missing = new Set(missingAmong(pool, agentId, request.held).map(({ live }) => live));
  for (const live of offer.again) if (missing.has(live)) delivery.again(live);

  const room = roomOf(pool, admitted, request);
  const open = offer.candidates.filter(
    (live) => isWaiting(live.job) && live.busy === null && applyConnection(pool, live, readings, now),
  );
  // What is assigned to this agent has its place among its room already.
  const own = seatOf(pool, agent, { running: pool.jobs.countHeldBy(agentId), room }, now);
  const seats = seatsOf(pool, now).map((seat) => (seat.agentId === agentId ? own : seat));
  const plan = planDispatch(open.map(toWaitingJob), seats, agentId);
  const byId = new Map(open.map((live) => [live.job.facts.jobId, live]));
  for (const jobId of plan.take) {
    const live = byId.get(jobId);
    if (live !== undefined) delivery.first(live);
  }
  for (const { jobId, agentId: other } of plan.assign) {
    const live = byId.get(jobId);
    if (live !== undefined) pool.jobs.reserve(live, assignJob(live.job, other, now));
  }
  for (const jobId of plan.release) {
    const live = byId.get(jobId);
    if (live !== undefined) pool.jobs.reserve(live, releaseJob(live.job));
  }
  agent.toldFull = room - delivery.firstCount <= 0;
  return delivery.jobs;
}

/** min(N, maxConcurrentJobs − leases held); what is sent again takes of the N places, too. */
function roomOf(pool: Pool, { agent, registration }: AdmittedAgent, { capacity, held }: PollRequest): number {
  const { agentId, enabled } = agent.settings;
  if (!enabled || pool.agents.health(agent, pool.world.now()).status === "Offline") return 0;
  const places = registration.maxConcurrentJobs - pool.jobs.countHeldBy(agentId);
  return Math.min(capacity - missingAmong(pool, agentId, held).length, places);
}

/** Waiting jobs that this agent may get, the longest waiting first: not those that are kept for a better one. */
function candidatesFor(pool: Pool, { agent }: AdmittedAgent, room: number): LiveJob[] {
  const now = pool.world.now();
  const { agentId } = agent.settings;
  const own = seatOf(pool, agent, { running: 0, room }, now);
  const others = new Map(seatsOf(pool, now).map((seat) => [seat.agentId, { ...seat, room: 1 }]));
  const candidates: LiveJob[] = [];
  const limit = room * LOOK_AT_PER_PLACE + LOOK_AT_LEAST;
  for (const live of pool.jobs.waiting()) {
    if (candidates.length >= limit) break;
    if (live.busy !== null) continue;
    const job = toWaitingJob(live);
    if (obstacleFor(job, own) !== null) continue;
    const holder = job.assignedTo === null || job.assignedTo === agentId ? undefined : others.get(job.assignedTo);
    if (holder !== undefined && obstacleFor(job, holder) === null) continue;
    candidates.push(live);
  }
  return candidates;
}

/** The agent asks for work and does not have it, so it never began: its cancel needs nobody's word. */
function endCancelled(pool: Pool, agentId: string, { held }: PollRequest): void {
  const now = pool.world.now();
  const gone = missingAmong(pool, agentId, held).filter(({ stage }) => stage.cancelRequested);
  for (const { live } of gone) pool.jobs.change(live, endJob(live.job, "cancelled", now));
  if (gone.length > 0) pool.background(tellEnds(pool));
}
