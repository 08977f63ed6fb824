import type { Candidate, PooledJob, WaitingJob } from "../../worker/actors/dispatcher/rules/candidate.ts";

/** An agent with room for any job that needs no credential. */
export function candidate(agentId: string, changes: Partial<Candidate> = {}): Candidate {
  return {
    agentId,
    name: agentId,
    registered: true,
    enabled: true,
    status: "Online",
    healthScore: 100,
    polling: true,
    runningJobs: 0,
    room: 5,
    lastBusyAt: 0,
    credentials: new Set(),
    features: [],
    ...changes,
  };
}

/** A job for any agent. */
export function job(jobId: string, changes: Partial<WaitingJob> = {}): PooledJob {
  return {
    jobId,
    connectionId: "con_1",
    poolObject: "pool:web",
    pinnedAgentId: null,
    needsCredential: false,
    reservedFor: null,
    ...changes,
  };
}
