import { compareSeats, obstacleFor } from "./dispatch.ts";
import type { WaitingCode } from "../../schema/contract/management.ts";
import type { Obstacle, Seat, WaitingJob } from "./dispatch.ts";

/** For one agent, `web-1 is …`; for several, counted: `2 …`. */
const WORDS = {
  other_agent: "not its agent",
  never_started: "never started",
  disabled: "disabled",
  offline: "offline",
  no_feature: "too old for named values",
  no_credential: "without the connection's credential",
  no_secrets: "without the secrets that its script gets",
  other_target: "holding the connection's credential for another target",
  other_secrets_target: "holding the secrets that its script gets for another target",
  not_polling: "online but not asking for jobs",
  full: "busy with as many jobs as it may run",
} as const satisfies Record<Obstacle, string>;

/** What to do, for one agent and for several; null where waiting is all there is. */
const ADVICE = {
  other_agent: null,
  never_started: ["Start it with its key.", "Start one with its key."],
  disabled: ["Enable it.", "Enable one."],
  offline: ["Start it.", "Start one."],
  no_feature: ["Update it.", "Update one."],
  no_credential: null,
  no_secrets: null,
  other_target: null,
  other_secrets_target: null,
  not_polling: ["Restart it.", "Restart one."],
  full: null,
} as const satisfies Record<Obstacle, readonly [one: string, several: string] | null>;

/** Why a job waits (design 4: "why each job waits"): in words for people, and as one of few codes for counting. */
export interface WaitingReason {
  /** Of several obstacles the most frequent one. */
  code: WaitingCode;
  reason: string;
}

/**
 * `others` are agents that are not among `seats`, counted by why they cannot take it; `onlyName` is the pool's one agent,
 * when it has no more.
 */
export function waitingReason(
  job: WaitingJob,
  seats: readonly Seat[],
  others: ReadonlyMap<Obstacle, number> = new Map(),
  onlyName: string | null = null,
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
  const name = onlyName ?? (seats.length === 1 && others.size === 0 ? seats[0]?.name : undefined);
  const [first] = most;
  const parts =
    name !== undefined && first !== undefined
      ? [`${name} ${isOrWas(first[0])} ${WORDS[first[0]]}`]
      : most.map(([obstacle, count]) => `${count} ${WORDS[obstacle]}`);
  const advice = adviceFor(job, new Map(most), name === undefined);
  return {
    code: first === undefined ? "no_agent" : codeOf(first[0]),
    reason: `No agent of the pool can take it: ${parts.join(", ")}.${advice}`,
  };
}

function pinnedReason(job: WaitingJob, agentId: string, seats: readonly Seat[]): WaitingReason {
  const seat = seats.find((candidate) => candidate.agentId === agentId);
  if (seat === undefined) {
    return { code: "never_started", reason: "Its agent has never started: install it with its key, and start it." };
  }
  const obstacle = obstacleFor(job, seat);
  if (obstacle === null || job.assignedTo === agentId) return nextPoll(seat);
  const words = obstacle === "never_started" ? "not started yet" : WORDS[obstacle];
  return {
    code: codeOf(obstacle),
    reason: `Its agent ${seat.name} is ${words}.${adviceFor(job, new Map([[obstacle, 1]]), false)}`,
  };
}

/** An agent whose credential is for another target counts as one without it. */
function codeOf(obstacle: Obstacle): WaitingCode {
  if (obstacle === "other_target") return "no_credential";
  return obstacle === "other_secrets_target" ? "no_secrets" : obstacle;
}

function isOrWas(obstacle: Obstacle): string {
  return obstacle === "never_started" ? "was" : "is";
}

/**
 * What to do, the most frequent obstacle first in `counts`. A credential comes before all: the agent that lacks it is
 * there. The job's own connection may need none at all: then it is the other one that lacks it.
 */
function adviceFor(
  { connectionId, secretsFrom }: WaitingJob,
  counts: ReadonlyMap<Obstacle, number>,
  several: boolean,
): string {
  const ids = (own: Obstacle, others: Obstacle) => [
    ...(counts.has(own) ? [connectionId] : []),
    ...(counts.has(others) && secretsFrom !== undefined ? [secretsFrom] : []),
  ];
  const [missing, elsewhere] = [ids("no_credential", "no_secrets"), ids("other_target", "other_secrets_target")];
  const again = elsewhere.filter((id) => !missing.includes(id));
  if (missing.length + again.length > 0) {
    return [
      ...(missing.length === 0 ? [] : [` Deliver the credential of connection ${missing.join(" and of ")}.`]),
      ...(again.length === 0 ? [] : [` Deliver the credential of connection ${again.join(" and of ")} again.`]),
    ].join("");
  }
  const [obstacle] = counts.keys();
  const advice = obstacle === undefined ? null : ADVICE[obstacle];
  return advice === null ? "" : ` ${advice[several ? 1 : 0]}`;
}

function nextPoll(seat: Seat): WaitingReason {
  return { code: "next_poll", reason: `Agent ${seat.name} gets it with its next poll.` };
}
