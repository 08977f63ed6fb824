import type { Candidate, WaitingJob } from "../../worker/actors/dispatcher/rules/candidate.ts";
import { ReadyList } from "../../worker/actors/dispatcher/rules/ready-list.ts";
import { medianOf } from "../engine/figures.ts";

const AT = 1_700_000_000_000;
const ROOM = 5;
const CHOICES = 2_000;
const ROUNDS = 15;

/**
 * The pure choice of an agent for a job among this many equal agents, and the update of that agent's place: median of
 * the rounds, in microseconds per job. An agent is free again some jobs later.
 */
export function measureChoice(agents: number): number {
  const candidates = new Map<string, Candidate>();
  const list = new ReadyList({ candidate: (agentId) => candidates.get(agentId) ?? null, holders: () => new Set() });
  for (let i = 0; i < agents; i += 1) {
    const agentId = `agt_${String(i).padStart(6, "0")}`;
    candidates.set(agentId, idleCandidate(agentId));
    list.renew(agentId);
  }
  const busy: string[] = [];
  const micros: number[] = [];
  // The first round is a warm-up for the compiler.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startedAt = Bun.nanoseconds();
    for (let n = 0; n < CHOICES; n += 1) {
      const agentId = list.best(JOB);
      if (agentId === null) throw new Error("no agent has room");
      change(agentId, 1, AT + round * CHOICES + n);
      busy.push(agentId);
      const freed = busy.length < MOST_BUSY ? undefined : busy.shift();
      if (freed !== undefined) change(freed, -1, AT + round * CHOICES + n);
    }
    if (round > 0) micros.push((Bun.nanoseconds() - startedAt) / 1_000 / CHOICES);
  }
  return medianOf(micros);

  function change(agentId: string, by: 1 | -1, now: number): void {
    const candidate = candidates.get(agentId);
    if (candidate === undefined) throw new Error("an agent is missing");
    const runningJobs = candidate.runningJobs + by;
    candidates.set(agentId, { ...candidate, runningJobs, room: ROOM - runningJobs, lastBusyAt: now });
    list.renew(agentId);
  }
}

const MOST_BUSY = 20;

const JOB: WaitingJob = {
  jobId: "job",
  action: "script.bash",
  connectionId: "con",
  pinnedAgentId: null,
  needsCredential: false,
  reservedFor: null,
};

function idleCandidate(agentId: string): Candidate {
  return {
    agentId,
    name: agentId,
    registered: true,
    enabled: true,
    status: "Online",
    healthScore: 100,
    polling: true,
    runningJobs: 0,
    room: ROOM,
    lastBusyAt: 0,
    credentials: new Set<string>(),
    features: [],
  };
}
