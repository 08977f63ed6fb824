import type { AgentStatus } from "../../schema/contract/management.ts";
import { UNFETCHED_RETURN_MIN_MS, UNFETCHED_RETURN_POLLS } from "../../schema/limits.ts";

/** An agent as dispatch sees it. */
export interface Seat {
  readonly agentId: string;
  readonly name: string;
  readonly registered: boolean;
  readonly enabled: boolean;
  readonly status: AgentStatus;
  readonly healthScore: number;
  /** False when it has not polled for so long that what is assigned to it would lie there. */
  readonly polling: boolean;
  /** Jobs that it holds or that are assigned to it. */
  readonly runningJobs: number;
  /** How many more it can take. */
  readonly room: number;
  /** When it last got or finished a job (epoch ms); 0 when never. */
  readonly lastBusyAt: number;
  /** The connections whose credential it says it has. */
  readonly credentials: { has(connectionId: string): boolean };
}

/** A waiting job as dispatch sees it. */
export interface WaitingJob {
  readonly jobId: string;
  readonly connectionId: string;
  readonly pinnedAgentId: string | null;
  readonly needsCredential: boolean;
  /** The custom connection whose secrets its script gets, as well. */
  readonly secretsFrom?: string | undefined;
  readonly assignedTo: string | null;
}

export type Obstacle =
  | "other_agent"
  | "unregistered"
  | "disabled"
  | "offline"
  | "no_credential"
  | "not_polling"
  | "full";

export interface DispatchPlan {
  /** Jobs that the polling agent gets now. */
  take: string[];
  /** Jobs that are kept for a better agent's next poll. */
  assign: { jobId: string; agentId: string }[];
  /** Jobs that were assigned and go back into the queue. */
  release: string[];
}

/** An agent is passed over when it has not polled within max(15 s, 3 polls) (design 3, "Pool → Run → Pool"). */
export function isPolling(lastPollAt: number | null, pollIntervalMs: number, now: number): boolean {
  if (lastPollAt === null) return false;
  return now - lastPollAt < Math.max(UNFETCHED_RETURN_MIN_MS, UNFETCHED_RETURN_POLLS * pollIntervalMs);
}

/** Why this agent cannot have this job; null when it can. */
export function obstacleFor(job: WaitingJob, seat: Seat): Obstacle | null {
  const other = obstacleButRoom(job, seat);
  return other === null && seat.room <= 0 ? "full" : other;
}

/**
 * Who gets which job, when `pollerId` asks for work: each job goes to the best agent that can have it. What is best
 * elsewhere is assigned there, and the poller does not take it away until that agent cannot have it any more. `jobs`
 * come in the order in which they were queued.
 */
export function planDispatch(jobs: readonly WaitingJob[], seats: readonly Seat[], pollerId: string): DispatchPlan {
  const plan: DispatchPlan = { take: [], assign: [], release: [] };
  const places = new Map(seats.map((seat) => [seat.agentId, { ...seat }]));
  const poller = places.get(pollerId);
  const open: WaitingJob[] = [];
  for (const job of jobs) {
    const holder = job.assignedTo === null ? undefined : places.get(job.assignedTo);
    if (holder === undefined || obstacleButRoom(job, holder) !== null) open.push(job);
    else if (holder !== poller) continue;
    else if (poller.room > 0) {
      occupy(poller);
      plan.take.push(job.jobId);
    } else open.push(job);
  }
  for (const job of open) {
    const best = bestOf(job, places.values());
    if (best === undefined) {
      if (job.assignedTo !== null) plan.release.push(job.jobId);
      continue;
    }
    occupy(best);
    if (best === poller) plan.take.push(job.jobId);
    else plan.assign.push({ jobId: job.jobId, agentId: best.agentId });
  }
  return plan;
}

type Place = { -readonly [Key in keyof Seat]: Seat[Key] };

function occupy(place: Place): void {
  place.room -= 1;
  place.runningJobs += 1;
}

function bestOf(job: WaitingJob, places: Iterable<Place>): Place | undefined {
  let best: Place | undefined;
  for (const place of places) {
    if (obstacleFor(job, place) === null && (best === undefined || compareSeats(place, best) < 0)) best = place;
  }
  return best;
}

/** Highest score, then fewest running jobs, then longest idle (design 5). Negative when `a` comes first. */
export function compareSeats(a: Seat, b: Seat): number {
  return (
    b.healthScore - a.healthScore ||
    a.runningJobs - b.runningJobs ||
    a.lastBusyAt - b.lastBusyAt ||
    (a.agentId < b.agentId ? -1 : 1)
  );
}

function obstacleButRoom(job: WaitingJob, seat: Seat): Obstacle | null {
  if (job.pinnedAgentId !== null && job.pinnedAgentId !== seat.agentId) return "other_agent";
  if (!seat.registered) return "unregistered";
  if (!seat.enabled) return "disabled";
  if (seat.status === "Offline") return "offline";
  if (job.needsCredential && !seat.credentials.has(job.connectionId)) return "no_credential";
  if (job.secretsFrom !== undefined && !seat.credentials.has(job.secretsFrom)) return "no_credential";
  if (!seat.polling) return "not_polling";
  return null;
}
