import { compareSeats, obstacleFor } from "./dispatch.ts";
import type { WaitingCode } from "../../schema/contract/management.ts";
import type { Obstacle, Seat, WaitingJob } from "./dispatch.ts";

/** For one agent, `it is …`; for several, counted: `2 …`. */
const WORDS = {
  other_agent: "not its agent",
  never_started: "never started",
  disabled: "disabled",
  offline: "offline",
  no_credential: "without the connection's credential",
  not_polling: "online but not asking for jobs",
  full: "busy with as many jobs as it may run",
} as const satisfies Record<Obstacle, string>;

/** Why a job waits (design 4: "why each job waits"): in words for people, and as one of few codes for counting. */
export interface WaitingReason {
  /** Of several obstacles the most frequent one. */
  code: WaitingCode;
  reason: string;
}

export function waitingReason(job: WaitingJob, seats: readonly Seat[]): WaitingReason {
  if (job.pinnedAgentId !== null) return pinnedReason(job, job.pinnedAgentId, seats);
  if (seats.length === 0) {
    return { code: "no_agent", reason: "The pool has no agent yet: create one in it, and start it." };
  }
  const assigned = seats.find((seat) => seat.agentId === job.assignedTo);
  const takers = seats.filter((seat) => obstacleFor(job, seat) === null);
  const taker = assigned ?? takers.toSorted(compareSeats)[0];
  if (taker !== undefined) return nextPoll(taker);
  const counts = new Map<Obstacle, number>();
  for (const seat of seats) {
    const obstacle = obstacleFor(job, seat);
    if (obstacle !== null) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
  }
  const most = [...counts].toSorted((a, b) => b[1] - a[1]);
  const parts = most.map(([obstacle, count]) => `${count} ${WORDS[obstacle]}`);
  return { code: most[0]?.[0] ?? "no_agent", reason: `No agent of the pool can take it: ${parts.join(", ")}.` };
}

function pinnedReason(job: WaitingJob, agentId: string, seats: readonly Seat[]): WaitingReason {
  const seat = seats.find((candidate) => candidate.agentId === agentId);
  if (seat === undefined) {
    return { code: "never_started", reason: "Its agent has never started: install it with its key, and start it." };
  }
  const obstacle = obstacleFor(job, seat);
  if (obstacle === null || job.assignedTo === agentId) return nextPoll(seat);
  const words = obstacle === "never_started" ? "not started yet" : WORDS[obstacle];
  return { code: obstacle, reason: `Its agent ${seat.name} is ${words}.` };
}

function nextPoll(seat: Seat): WaitingReason {
  return { code: "next_poll", reason: `Agent ${seat.name} gets it with its next poll.` };
}
