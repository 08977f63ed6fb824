import { inabilityFor } from "../../../domain/abilities.ts";
import type { Abilities, Asks, Inability } from "../../../domain/abilities.ts";
import type { TargetMismatch } from "../../../domain/credential/usable.ts";
import type { AgentStatus } from "../../../../schema/contract/management.ts";
import type { JobFacts } from "./job.ts";
import { OFFLINE_AFTER_MS, RESERVATION_RETURN_MIN_MS, RESERVATION_RETURN_POLLS } from "../../../../schema/limits.ts";

/** An agent as dispatch compares it. */
export interface Candidate extends Abilities {
  readonly agentId: string;
  readonly name: string;
  readonly registered: boolean;
  readonly enabled: boolean;
  readonly status: AgentStatus;
  readonly healthScore: number;
  /** True while it shuts down and takes no further jobs. */
  readonly draining?: boolean;
  /** True when it is offline because it has not called with its new key. */
  readonly rekeyed?: boolean;
  /** False when it has not polled lately, so that it would not fetch a reserved job. */
  readonly polling: boolean;
  /** Time since its last call or sign of life on the wake socket; undefined when the dispatcher was away since. */
  readonly silentMs?: number | undefined;
  /** Jobs that it holds or that are reserved for it. */
  readonly runningJobs: number;
  /** How many more jobs it can take. */
  readonly room: number;
  /** When it last finished a job (epoch ms); 0 when never. */
  readonly lastBusyAt: number;
  /** The connections whose credential it reports and may use. */
  readonly credentials: { has(connectionId: string): boolean };
  /** Why it must not use its credential for a connection; null when it may, or has none. */
  readonly mismatchOf?: (connectionId: string) => TargetMismatch | null;
}

/** A waiting job as dispatch compares it. */
export interface WaitingJob
  extends Asks, Pick<JobFacts, "jobId" | "connectionId" | "pinnedAgentId" | "secretsFrom" | "lostBy"> {
  readonly needsCredential: boolean;
  /** True when its connection needs a credential only because one was delivered. */
  readonly credentialIsOptional?: boolean;
  readonly reservedFor: string | null;
}

/** A waiting job with its dispatcher's name, which its waiting reason shows. */
export interface PooledJob extends WaitingJob, Pick<JobFacts, "poolObject"> {}

/** The mismatches for the connection in `secretsFrom`. */
export type SecretsMismatch = `secrets_${TargetMismatch}`;

export type Obstacle =
  | "other_agent"
  | "never_started"
  | "disabled"
  | "rekeyed"
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
 * Until when an agent counts as asking for jobs (epoch ms); null when it never asked. It counts until max(15 s, 3 polls)
 * after its last poll or, with a wake socket, until OFFLINE_AFTER_MS after it was last heard there (`socketHeardAt`); in
 * any case at most 15 s after a wake that no poll has answered.
 */
export function pollingUntil(
  lastPollAt: number | null,
  pollIntervalMs: number,
  wokenAt: number | null,
  socketHeardAt: number | null,
): number | null {
  const bySocket = socketHeardAt === null ? null : socketHeardAt + OFFLINE_AFTER_MS;
  const byInterval =
    lastPollAt === null
      ? null
      : lastPollAt + Math.max(RESERVATION_RETURN_MIN_MS, RESERVATION_RETURN_POLLS * pollIntervalMs);
  if (bySocket === null && byInterval === null) return null;
  const until = Math.max(bySocket ?? 0, byInterval ?? 0);
  return wokenAt === null ? until : Math.min(until, wokenAt + RESERVATION_RETURN_MIN_MS);
}

/** Why this agent cannot take this job; null when it can. */
export function obstacleFor(job: WaitingJob, candidate: Candidate): Obstacle | null {
  const other = obstacleButRoom(job, candidate);
  return other === null && candidate.room <= 0 ? "full" : other;
}

/**
 * Highest score, then fewest running jobs, then longest idle (docs/design/dispatch.md#choice). Negative when `a` comes
 * first; 0 only for the same agent with the same values.
 */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    b.healthScore - a.healthScore ||
    a.runningJobs - b.runningJobs ||
    a.lastBusyAt - b.lastBusyAt ||
    compareIds(a.agentId, b.agentId)
  );
}

/** Like `obstacleFor`, but ignores room. */
export function obstacleButRoom(job: WaitingJob, candidate: Candidate): Obstacle | null {
  if (job.pinnedAgentId !== null && job.pinnedAgentId !== candidate.agentId) return "other_agent";
  if (!candidate.registered) return "never_started";
  if (!candidate.enabled) return "disabled";
  if (candidate.status === "Offline") return candidate.rekeyed === true ? "rekeyed" : "offline";
  if (candidate.draining === true) return "draining";
  const inability = inabilityFor(job, candidate);
  if (inability !== null) return inability;
  if (job.needsCredential && !candidate.credentials.has(job.connectionId)) {
    return candidate.mismatchOf?.(job.connectionId) ?? "no_credential";
  }
  if (job.secretsFrom !== undefined && !candidate.credentials.has(job.secretsFrom)) {
    const mismatch = candidate.mismatchOf?.(job.secretsFrom) ?? null;
    return mismatch === null ? "no_secrets" : `secrets_${mismatch}`;
  }
  if (!candidate.polling) return "not_polling";
  return null;
}

function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
