import type { Abilities } from "../../actors/dispatcher/rules/abilities.ts";
import type { HeldCredential } from "../../domain/credential/judge-told.ts";
import type { AgentSettings } from "../ports.ts";

/** What an agent said when it registered, as far as Pool needs it. */
export interface AgentRegistration extends Abilities {
  readonly instanceId: string;
  readonly journalId: string;
  readonly maxConcurrentJobs: number;
  readonly pollIntervalMs: number;
  /** Of its public key (RFC 7638); registrations of older versions have none. */
  readonly fingerprint?: string;
}

export interface StoredAgent {
  readonly settings: AgentSettings;
  readonly registration: AgentRegistration | null;
  /** The credentials that it reports, by connection. */
  readonly credentials: readonly (readonly [connectionId: string, held: HeldCredential])[];
  /** Those connections among them whose credential is for another target; older versions do not say. */
  readonly unusable?: readonly string[];
  /** Whether libSQL was told of them. */
  readonly credentialsPassedOn: boolean;
  /** Whether the agent has said anything of them here. */
  readonly hasTold?: boolean;
  /** When it was deleted or moved (epoch ms); nothing while it is here, nor for one that left an older version's Pool. */
  readonly removedAt?: number;
}

type OlderEntry = string | readonly [connectionId: string, version: number];
type OlderAgent = Omit<StoredAgent, "credentials"> & {
  credentials: readonly (StoredAgent["credentials"][number] | OlderEntry)[];
};

/**
 * Older versions stored a credential's version alone, or not even that: then the Pool asks again what each agent has.
 */
export function toStoredAgent(stored: OlderAgent): StoredAgent {
  const credentials = stored.credentials.flatMap((entry): StoredAgent["credentials"] => {
    if (typeof entry === "string") return [];
    const [connectionId, held] = entry;
    return [[connectionId, typeof held === "number" ? { version: held } : held]];
  });
  return { ...stored, credentials, credentialsPassedOn: stored.credentialsPassedOn ?? true };
}
