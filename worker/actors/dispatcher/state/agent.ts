import type { HeldCredentials } from "../../../domain/credential/judge-reported.ts";
import type { AgentSettings } from "../rpc.ts";
import type { Abilities } from "../../../domain/abilities.ts";
import { NEVER_SEEN, OutcomeWindow } from "../rules/health.ts";
import type { Presence } from "../rules/health.ts";

/** The part of an agent's registration that dispatch needs. */
export interface AgentRegistration extends Abilities {
  readonly instanceId: string;
  readonly journalId: string;
  readonly maxConcurrentJobs: number;
  readonly pollIntervalMs: number;
  /** Of the agent's public key (RFC 7638). */
  readonly fingerprint: string;
}

/** One agent of a dispatcher. Times are epoch milliseconds. */
export interface Agent {
  settings: AgentSettings;
  registration: AgentRegistration | null;
  /** All reported credentials; jobs run with `usableCredentials`. */
  credentials: HeldCredentials;
  /** The connections whose credential is not for their present target. */
  unusable: ReadonlySet<string>;
  /** Whether libSQL has recorded these credentials. */
  credentialsRecorded: boolean;
  /** Whether it has reported its credentials to this dispatcher, even an empty list. */
  hasReported: boolean;
  presence: Presence;
  readonly outcomes: OutcomeWindow;
  /** How many more jobs it can take by its last poll; null before that. */
  reportedRoom: number | null;
  /** When it was first woken since its last poll; null when it was not. */
  wokenAt: number | null;
  lastWakeAt: number;
  /** The number of its polls that are being answered. */
  polls: number;
  /** When it last finished a job; 0 when never. */
  lastBusyAt: number;
  /** When it was deleted or moved; null while it belongs to this dispatcher. */
  removedAt: number | null;
  /** Its place in the rows of presences. */
  readonly slot: number;
}

/** The agents' open wake sockets. */
export interface OpenSockets {
  readonly size: number;
  /** When the agent was last heard through its socket, by a ping or by opening it (epoch ms); null without one. */
  heardAt(agentId: string): number | null;
}

/** An agent's own row. Presences are stored separately, for many agents together. */
export type StoredAgent = ReturnType<typeof toStoredAgent>;

export function toStoredAgent(agent: Agent) {
  const { settings, registration, credentials, unusable, credentialsRecorded, hasReported, removedAt, slot } = agent;
  const held = { credentials: [...credentials], unusable: [...unusable] };
  return { settings, registration, ...held, credentialsRecorded, hasReported, removedAt, slot };
}

export function toAgent({ credentials, unusable, ...stored }: StoredAgent, presence: Presence | undefined): Agent {
  return {
    ...newAgent(stored.settings, stored.slot),
    ...stored,
    credentials: new Map(credentials),
    unusable: new Set(unusable),
    presence: presence ?? NEVER_SEEN,
  };
}

/** An agent that was never seen. */
export function newAgent(settings: AgentSettings, slot: number): Agent {
  return {
    settings,
    registration: null,
    credentials: new Map(),
    unusable: new Set(),
    credentialsRecorded: true,
    hasReported: false,
    presence: NEVER_SEEN,
    outcomes: new OutcomeWindow(),
    reportedRoom: null,
    wokenAt: null,
    lastWakeAt: 0,
    polls: 0,
    lastBusyAt: 0,
    removedAt: null,
    slot,
  };
}

/** The credentials that are for their connection's present target. */
export function usableCredentials({ credentials, unusable }: Agent): HeldCredentials {
  if (unusable.size === 0) return credentials;
  return new Map([...credentials].filter(([connectionId]) => !unusable.has(connectionId)));
}

export function abilitiesOf({ registration }: Pick<Agent, "registration">): Abilities {
  return registration ?? {};
}
