import { inabilityFor } from "../../../domain/abilities.ts";
import type { Abilities, Asks, Inability } from "../../../domain/abilities.ts";
import type { TargetMismatch } from "../../../domain/credential/usable.ts";
import type { AgentStatus } from "../../../../schema/contract/management.ts";
import type { JobFacts } from "./job.ts";
import { OFFLINE_AFTER_MS, UNFETCHED_RETURN_MIN_MS, UNFETCHED_RETURN_POLLS } from "../../../../schema/limits.ts";

/** An agent as dispatch sees it. */
export interface Candidate extends Abilities {
  readonly agentId: string;
  readonly name: string;
  readonly registered: boolean;
  readonly enabled: boolean;
  readonly status: AgentStatus;
  readonly healthScore: number;
  /** It shuts down, and takes no more jobs. */
  readonly draining?: boolean;
  /** It is offline because it has not called with its new key. */
  readonly rekeyed?: boolean;
  /** False when it has not polled for so long that what is assigned to it would lie there. */
  readonly polling: boolean;
  /** How long ago it was last heard by any call or through its wake socket; undefined when the dispatcher was away since. */
  readonly silentMs?: number | undefined;
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
export interface WaitingJob
  extends Asks, Pick<JobFacts, "jobId" | "connectionId" | "pinnedAgentId" | "secretsFrom" | "lostBy"> {
  readonly needsCredential: boolean;
  /** It could do without that credential, if the connection had none. */
  readonly credentialIsOptional?: boolean;
  readonly reservedFor: string | null;
}

/** The same of the connection in `secretsFrom`. */
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
 * Until when an agent counts as asking for jobs (epoch ms); null when it never asked. It is passed over when it has not
 * polled within max(15 s, 3 polls), or within 15 s of being told to. An agent with a wake socket, through which it was
 * heard at `socketHeardAt`, polls when it is told to.
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
      : lastPollAt + Math.max(UNFETCHED_RETURN_MIN_MS, UNFETCHED_RETURN_POLLS * pollIntervalMs);
  if (bySocket === null && byInterval === null) return null;
  const until = Math.max(bySocket ?? 0, byInterval ?? 0);
  return wokenAt === null ? until : Math.min(until, wokenAt + UNFETCHED_RETURN_MIN_MS);
}

/** Why this agent cannot have this job; null when it can. */
export function obstacleFor(job: WaitingJob, candidate: Candidate): Obstacle | null {
  const other = obstacleButRoom(job, candidate);
  return other === null && candidate.room <= 0 ? "full" : other;
}

/**
 * Highest score, then fewest running jobs, then longest idle (docs/design/dispatch.md#choice). Negative when `a` comes
 * first; 0 for one agent's same standing.
 */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    b.healthScore - a.healthScore ||
    a.runningJobs - b.runningJobs ||
    a.lastBusyAt - b.lastBusyAt ||
    compareIds(a.agentId, b.agentId)
  );
}

/** The same for an agent that might get room. */
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
