import type { ActionOf } from "../../schema/contract/action.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import type { Programs } from "../programs/program.ts";

/**
 * What an executor is given for one job. `signal` is aborted on time-out, on cancel and at shutdown; an executor then
 * ends what it began (the process group, the remote command, the request) and returns what it has so far. The runner
 * knows why it aborted, and names the status.
 */
export interface ExecutorContext {
  jobId: string;
  connection: { id: string; type: ConnectionType; config: JsonObject };
  /** From the vault; null when nothing was delivered for this connection. */
  secrets: Secrets | null;
  /**
   * Compares a place that only this agent knows with the one that the credential is bound to. An executor that has
   * `resolveTarget` calls it right before it uses the secrets. Throws `target_changed`.
   */
  confirmTarget(resolved: JsonObject): void;
  /** What the script itself gets as environment variables: those of the custom connection in `params.secretsFrom`. */
  scriptSecrets: Secrets;
  params: JsonObject;
  /**
   * Names and texts that travel beside code and become environment variables (docs/design/templates.md#named-values).
   * Never arguments.
   */
  values: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
  /** What the processes of this job carry, so that an agent that was killed finds them again when it starts. */
  processMark: string;
  /** How it starts the programs, and reads the files, that the job, its connection or its credential names. */
  programs: Programs;
  settings: ExecutorSettings;
}

/** The part of the agent's configuration that executors obey. */
export interface ExecutorSettings {
  allowPrivateNetwork: boolean;
  allowOsRestart: boolean;
  /** The Slack Web API, without a trailing slash; another one for GovSlack. */
  slackApiUrl: string;
  /** Where an executor may keep what outlives a job, such as pinned host keys. Made by the agent, mode 0700. */
  stateDirectory: string;
}

export type ExecutorOutcome =
  | { status: "succeeded"; output: JsonObject }
  | { status: "failed"; output: JsonObject | null; error: Failure };

export interface ConnectionCheck {
  name: string;
  ok: boolean;
  detail: string;
}

export type RunAction = (context: ExecutorContext) => Promise<ExecutorOutcome>;

/** One entry of a credential's target, and the secrets that are for it. */
export interface TargetPlace {
  connectionId: string;
  entry: JsonObject;
  secrets: Secrets;
  settings: Pick<ExecutorSettings, "slackApiUrl">;
  programs: Programs;
}

/** One connection type's actions and its connection test; one file each, loaded on first use. */
export interface Executor<T extends ConnectionType = never> {
  actions: Readonly<Record<[T] extends [never] ? string : ActionOf<T>, RunAction>>;
  /** The named checks of docs/design/connections.md#connection-tests, in order; it stops at the first that fails. */
  test(context: ExecutorContext): Promise<ConnectionCheck[]>;
  /** Why these secrets can log in nowhere, as a sentence without its full stop; null where that does not show here. */
  problemWithSecrets?(secrets: Secrets): string | null;
  /**
   * Where a credential goes, as far as its target leaves that to this agent: kept when the credential is bound, and
   * compared at every use. Throws ExecutorFailure where it cannot be found out.
   */
  resolveTarget?(place: TargetPlace): Promise<JsonObject>;
}
