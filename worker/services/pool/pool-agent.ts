import type { Abilities } from "../../actors/dispatcher/rules/abilities.ts";
import { NEVER_SEEN } from "../../actors/dispatcher/rules/agent-status.ts";
import type { Presence } from "../../actors/dispatcher/rules/agent-status.ts";
import type { HeldCredentials } from "../../domain/credential/judge-told.ts";
import { OutcomeWindow } from "../../actors/dispatcher/rules/outcome-window.ts";
import type { AgentStatus } from "../../../schema/contract/management.ts";
import type { AgentSettings } from "../ports.ts";
import type { AgentRegistration } from "./stored-agent.ts";

/** One agent of a Pool. */
export interface PoolAgent {
  settings: AgentSettings;
  registration: AgentRegistration | null;
  /** What it reports that it has; `usableCredentials` are those that count. */
  credentials: HeldCredentials;
  /** The connections among them whose credential is not for their present target. */
  unusable: ReadonlySet<string>;
  /** Whether libSQL was told of these credentials. */
  credentialsPassedOn: boolean;
  /** Whether it has told this Pool what it has, were it nothing. */
  hasTold: boolean;
  /** While libSQL is being told. */
  isTelling: boolean;
  presence: Presence;
  readonly outcomes: OutcomeWindow;
  /** How many more jobs it can take by its own last word; null before it said so. */
  toldRoom: number | null;
  /** When it was told to poll and has not done so (epoch ms). */
  wokenAt: number | null;
  /** When it last finished a job (epoch ms); 0 when never. */
  lastBusyAt: number;
  /** When it was deleted or moved (epoch ms); null while it is here. */
  removedAt: number | null;
}

export interface AgentHealth {
  status: AgentStatus;
  healthScore: number;
}

/** One that was never seen. */
export function newAgent(settings: AgentSettings): PoolAgent {
  return {
    settings,
    registration: null,
    credentials: new Map(),
    unusable: new Set(),
    credentialsPassedOn: true,
    hasTold: false,
    isTelling: false,
    presence: NEVER_SEEN,
    outcomes: new OutcomeWindow(),
    toldRoom: null,
    wokenAt: null,
    lastBusyAt: 0,
    removedAt: null,
  };
}

/** The credentials that its jobs can be run with. */
export function usableCredentials({ credentials, unusable }: Pick<PoolAgent, "credentials" | "unusable">) {
  if (unusable.size === 0) return credentials;
  return new Map([...credentials].filter(([connectionId]) => !unusable.has(connectionId)));
}

export function abilitiesOf({ registration }: Pick<PoolAgent, "registration">): Abilities {
  return registration ?? {};
}

/** Takes settings over that are newer than its own. */
export function takeSettings(agent: PoolAgent, settings: AgentSettings, now: number): void {
  agent.settings = settings;
  agent.removedAt = settings.removed ? (agent.removedAt ?? now) : null;
}
