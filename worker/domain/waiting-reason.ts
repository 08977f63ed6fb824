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
  no_secrets: "without the secrets that its script gets",
  not_polling: "online but not asking for jobs",
  full: "busy with as many jobs as it may run",
} as const satisfies Record<Obstacle, string>;

/** Why a job waits (design 4: "why each job waits"): in words for people, and as one of few codes for counting. */
export interface WaitingReason {
  /** Of several obstacles the most frequent one. */
  code: WaitingCode;
  reason: string;
}

/** `others` are agents that are not among `seats`, counted by why they cannot take it. */
export function waitingReason(
  job: WaitingJob,
  seats: readonly Seat[],
  others: ReadonlyMap<Obstacle, number> = new Map(),
): WaitingReason {
  if (job.pinnedAgentId !== null) return pinnedReason(job, job.pinnedAgentId, seats);
  const counts = new Map([...others].filter(([, count]) => count > 0));
  if (seats.length + counts.size === 0) {
    return { code: "no_agent", reason: "The pool has no agent yet: create one in it, and start it." };
  }
  let taker: Seat | null = null;
  for (const seat of seats) {
    if (seat.agentId === job.assignedTo) return nextPoll(seat);
    const obstacle = obstacleFor(job, seat);
    if (obstacle !== null) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
    else if (taker === null || compareSeats(seat, taker) < 0) taker = seat;
  }
  if (taker !== null) return nextPoll(taker);
  const most = [...counts].toSorted((a, b) => b[1] - a[1]);
  const parts = most.map(([obstacle, count]) => `${count} ${WORDS[obstacle]}`);
  const reason = `No agent of the pool can take it: ${parts.join(", ")}.${adviceFor(job, counts)}`;
  return { code: most[0]?.[0] ?? "no_agent", reason };
}

function pinnedReason(job: WaitingJob, agentId: string, seats: readonly Seat[]): WaitingReason {
  const seat = seats.find((candidate) => candidate.agentId === agentId);
  if (seat === undefined) {
    return { code: "never_started", reason: "Its agent has never started: install it with its key, and start it." };
  }
  const obstacle = obstacleFor(job, seat);
  if (obstacle === null || job.assignedTo === agentId) return nextPoll(seat);
  const words = obstacle === "never_started" ? "not started yet" : WORDS[obstacle];
  return { code: obstacle, reason: `Its agent ${seat.name} is ${words}.${adviceFor(job, new Set([obstacle]))}` };
}

/** The job's own connection may need no credential at all: it is the other one that lacks it. */
function adviceFor({ secretsFrom }: WaitingJob, obstacles: { has(obstacle: Obstacle): boolean }): string {
  return secretsFrom !== undefined && obstacles.has("no_secrets")
    ? ` Deliver the credential of connection ${secretsFrom}.`
    : "";
}

function nextPoll(seat: Seat): WaitingReason {
  return { code: "next_poll", reason: `Agent ${seat.name} gets it with its next poll.` };
}
