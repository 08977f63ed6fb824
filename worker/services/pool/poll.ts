import type { Job, JobsResponse } from "../../../schema/contract/agent.ts";
import { obstacleButRoom } from "../../actors/dispatcher/rules/candidate.ts";
import type { JobConnection } from "../../actors/dispatcher/rules/job-connection.ts";
import { endJob, releaseJob } from "../../actors/dispatcher/rules/job.ts";
import type { AgentCaller, PollRequest, PoolRefusal } from "../ports.ts";
import { admit } from "./admit.ts";
import type { AdmittedAgent } from "./admit.ts";
import { applyConnection } from "./apply-connection.ts";
import { Delivery } from "./delivery.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import { cancelledAmong, missingAmong, noteHeld } from "./held-leases.ts";
import type { LiveJob } from "./job-book.ts";
import { judgeTargets } from "./judge-targets.ts";
import { inQueueOrder } from "./job-queue.ts";
import { abilitiesOf } from "./pool-agent.ts";
import type { PoolAgent } from "./pool-agent.ts";
import type { Pool } from "./pool.ts";
import { readConnectionsOf } from "./read-connections.ts";
import type { Readings } from "./read-connections.ts";
import { seatOf, toWaitingJob } from "./seats.ts";
import { tellEnds } from "./tell-ends.ts";
import { releaseBeyondRoom } from "./unfetched.ts";

/**
 * Answers a poll: what was delivered to this agent and it does not hold, under the same lease (invariant 3), and the jobs
 * that are kept for it, up to its room. A poll that finds nothing to give reads and writes nothing (invariant 7).
 */
export async function poll(pool: Pool, caller: AgentCaller, request: PollRequest): Promise<JobsResponse | PoolRefusal> {
  const admitted = admit(pool, caller);
  if ("refused" in admitted) return admitted;
  const { agent } = admitted;
  const { agentId } = caller;
  pool.agents.heard(agent, "poll", pool.world.now());
  noteHeld(pool, agentId, request.held, pool.world.now());
  endCancelled(pool, agentId, request);
  noteRoom(pool, admitted, request);
  dispatchWaiting(pool);

  const again = agent.settings.enabled ? missingAmong(pool, agentId, request.held).map(({ live }) => live) : [];
  const kept = inQueueOrder(pool.jobs.assignedTo(agentId).filter((live) => live.busy === null));
  const cancelled = () => cancelledAmong(pool, agentId, request.held);
  if (again.length + kept.length === 0) return { jobs: [], cancelled: cancelled() };

  const readings = await readConnectionsOf(pool, [...again, ...kept], agentId);
  // Another process may have registered meanwhile, and a person may have disabled or deleted the agent.
  const still = admit(pool, caller);
  if ("refused" in still) return still;
  const jobs = readings === null ? [] : giveOut(pool, still, request, { again, kept, readings });
  dispatchWaiting(pool);
  pool.background(tellEnds(pool));
  return { jobs, cancelled: cancelled() };
}

interface Offer {
  again: readonly LiveJob[];
  kept: readonly LiveJob[];
  readings: Readings;
}

/** From here to the answer's jobs nothing waits, so that no other poll comes between. */
function giveOut(pool: Pool, admitted: AdmittedAgent, request: PollRequest, { again, kept, readings }: Offer): Job[] {
  const { agent, registration } = admitted;
  const { agentId } = agent.settings;
  if (!agent.settings.enabled) return [];
  const now = pool.world.now();
  judgeTargets(pool, readings.connections.values(), agent);
  const delivery = new Delivery(pool, { to: { agentId, journalId: registration.journalId }, readings }, now);

  const missing = new Set(missingAmong(pool, agentId, request.held).map(({ live }) => live));
  for (const live of again) if (missing.has(live)) delivery.again(live, agent);

  for (const live of kept) {
    const { stage } = live.job;
    if (live.busy !== null || stage.type !== "assigned" || stage.agentId !== agentId) continue;
    if (!applyConnection(pool, live, readings, now)) continue;
    // The connection may ask for another agent now, or for a credential that this one does not have.
    const seat = seatOf(pool, agent, now);
    const isFree = obstacleButRoom(toWaitingJob(live, pool.agents), seat) === null;
    if (isFree && !mayHoldFormer(agent, readings.connectionOf(live))) delivery.first(live);
    else pool.jobs.reserve(live, releaseJob(live.job));
  }
  if (agent.toldRoom !== null) agent.toldRoom -= delivery.firstCount;
  return delivery.jobs;
}

/** An older agent uses what it holds wherever the connection leads: it must say first what that is. */
function mayHoldFormer(agent: PoolAgent, connection: JobConnection | null): boolean {
  if (agent.hasTold || abilitiesOf(agent).features?.includes("boundCredentials") === true) return false;
  return (connection?.wanted?.(agent.settings.agentId).floor ?? 0) > 0;
}

/** What the agent says of its room holds until it says something else; what is sent again takes of it, too. */
function noteRoom(pool: Pool, { agent }: AdmittedAgent, { capacity, held }: PollRequest): void {
  agent.toldRoom = Math.max(0, capacity - missingAmong(pool, agent.settings.agentId, held).length);
  releaseBeyondRoom(pool, agent);
  pool.changed.add(agent.settings.agentId);
}

/**
 * The agent asks for work and never had it, so it did not begin: its cancel needs nobody's word. What it did show once it
 * may be working at: a poll that does not name it may be an old one that was held up.
 */
function endCancelled(pool: Pool, agentId: string, { held }: PollRequest): void {
  const now = pool.world.now();
  const gone = missingAmong(pool, agentId, held).filter(
    ({ live, stage }) => stage.cancelRequested && live.sight?.wasShown !== true,
  );
  for (const { live } of gone) pool.jobs.change(live, endJob(live.job, "cancelled", now));
  if (gone.length > 0) pool.background(tellEnds(pool));
}
