import { inabilityFor } from "./abilities.ts";
import type { Abilities, Asks, Inability } from "./abilities.ts";
import type { TargetMismatch } from "../../../domain/credential/usable.ts";
import type { AgentStatus } from "../../../../schema/contract/management.ts";
import { UNFETCHED_RETURN_MIN_MS, UNFETCHED_RETURN_POLLS } from "../../../../schema/limits.ts";

/** An agent as dispatch sees it. */
export interface Seat extends Abilities {
  readonly agentId: string;
  readonly name: string;
  readonly registered: boolean;
  readonly enabled: boolean;
  readonly status: AgentStatus;
  readonly healthScore: number;
  /** It shuts down, and takes no more jobs. */
  readonly draining?: boolean;
  /** False when it has not polled for so long that what is assigned to it would lie there. */
  readonly polling: boolean;
  /** Jobs that it holds or that are assigned to it. */
  readonly runningJobs: number;
  /** How many more it can take. */
  readonly room: number;
  /** When it last got or finished a job (epoch ms); 0 when never. */
  readonly lastBusyAt: number;
  /** The connections whose credential it reports, and may use. */
  readonly credentials: { has(connectionId: string): boolean };
  /** Why it must not use the credential that it has for a connection; null when it may, or has none. */
  readonly mismatchOf?: (connectionId: string) => TargetMismatch | null;
}

/** A waiting job as dispatch sees it. */
export interface WaitingJob extends Asks {
  readonly jobId: string;
  readonly connectionId: string;
  readonly pinnedAgentId: string | null;
  readonly needsCredential: boolean;
  /** The custom connection whose secrets its script gets, as well. */
  readonly secretsFrom?: string | undefined;
  readonly assignedTo: string | null;
  /** The agent that lost it last. */
  readonly lostBy?: string | undefined;
}

/** The same of the connection in `secretsFrom`. */
export type SecretsMismatch = `secrets_${TargetMismatch}`;

export type Obstacle =
  | "other_agent"
  | "never_started"
  | "disabled"
  | "offline"
  | "draining"
  | Inability
  | "no_credential"
  | "no_secrets"
  | TargetMismatch
  | SecretsMismatch
  | "not_polling"
  | "full";

/**
 * Until when an agent counts as asking for jobs (epoch ms); null when it never asked. It is passed over when it has not
 * polled within max(15 s, 3 polls) (design 3, "Pool → Run → Pool"), or within 15 s of being told to.
 */
export function pollingUntil(lastPollAt: number | null, pollIntervalMs: number, wokenAt: number | null): number | null {
  if (lastPollAt === null) return null;
  const byInterval = lastPollAt + Math.max(UNFETCHED_RETURN_MIN_MS, UNFETCHED_RETURN_POLLS * pollIntervalMs);
  return wokenAt === null ? byInterval : Math.min(byInterval, wokenAt + UNFETCHED_RETURN_MIN_MS);
}

/** Why this agent cannot have this job; null when it can. */
export function obstacleFor(job: WaitingJob, seat: Seat): Obstacle | null {
  const other = obstacleButRoom(job, seat);
  return other === null && seat.room <= 0 ? "full" : other;
}

/** Highest score, then fewest running jobs, then longest idle (design 5). Negative when `a` comes first; 0 for one agent's same standing. */
export function compareSeats(a: Seat, b: Seat): number {
  return (
    b.healthScore - a.healthScore ||
    a.runningJobs - b.runningJobs ||
    a.lastBusyAt - b.lastBusyAt ||
    compareIds(a.agentId, b.agentId)
  );
}

/** The same for an agent that might get room. */
export function obstacleButRoom(job: WaitingJob, seat: Seat): Obstacle | null {
  if (job.pinnedAgentId !== null && job.pinnedAgentId !== seat.agentId) return "other_agent";
  if (!seat.registered) return "never_started";
  if (!seat.enabled) return "disabled";
  if (seat.status === "Offline") return "offline";
  if (seat.draining === true) return "draining";
  const inability = inabilityFor(job, seat);
  if (inability !== null) return inability;
  if (job.needsCredential && !seat.credentials.has(job.connectionId)) {
    return seat.mismatchOf?.(job.connectionId) ?? "no_credential";
  }
  if (job.secretsFrom !== undefined && !seat.credentials.has(job.secretsFrom)) {
    const mismatch = seat.mismatchOf?.(job.secretsFrom) ?? null;
    return mismatch === null ? "no_secrets" : `secrets_${mismatch}`;
  }
  if (!seat.polling) return "not_polling";
  return null;
}

function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
