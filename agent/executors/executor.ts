import type { ActionOf } from "../../schema/contract/action.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import type { Place } from "../../schema/contract/target-list.ts";
import type { Programs } from "../programs/program.ts";

/**
 * What an executor gets for one job. `signal` is aborted on time-out, on cancel and at shutdown: the executor then ends
 * what it began (the process group, the remote command, the request) and returns what it has. The runner knows the
 * reason and sets the status.
 */
export interface ExecutorContext {
  jobId: string;
  connection: { id: string; type: ConnectionType; config: JsonObject };
  /** Where this job goes, on a connection with several hosts; null on a connection to one. */
  place: Place | null;
  /** From the vault; null when it has no credential for this connection. */
  secrets: Secrets | null;
  /**
   * Compares a resolved target, which only this agent knows, with the one that the credential is bound to. An executor
   * with `resolveTarget` calls it right before it uses the secrets. Throws `target_changed`.
   */
  confirmTarget(resolved: JsonObject): void;
  /** Environment variables of the script: the secrets of the custom connection in `params.secretsFrom`. */
  scriptSecrets: Secrets;
  params: JsonObject;
  /** Values outside the code: environment variables, never arguments (docs/design/templates.md#named-values). */
  values: Readonly<Record<string, string>>;
  /** The W3C trace context of the job; null without traces. */
  traceparent: string | null;
  timeoutMs: number;
  signal: AbortSignal;
  /** The mark of this job's processes, by which they can be found after the agent was killed. */
  processMark: string;
  /** Starts programs and reads files that the job, its connection or its credential names. */
  programs: Programs;
  settings: ExecutorSettings;
}

/** The part of the agent's configuration that executors need. */
export interface ExecutorSettings {
  allowPrivateNetwork: boolean;
  allowOsRestart: boolean;
  /** The Slack Web API, without a trailing slash; GovSlack has another one. */
  slackApiUrl: string;
  /** The directory for files that outlive a job, such as pinned host keys. The agent makes it, with mode 0700. */
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

/** One entry of a credential's target, and the secrets for it. */
export interface TargetPlace {
  connectionId: string;
  entry: JsonObject;
  secrets: Secrets;
  settings: Pick<ExecutorSettings, "slackApiUrl">;
  programs: Programs;
}

/** The actions and the connection test of one connection type, in a separate file that is loaded on first use. */
export interface Executor<T extends ConnectionType = never> {
  actions: Readonly<Record<[T] extends [never] ? string : ActionOf<T>, RunAction>>;
  /** The named checks of docs/design/connections.md#connection-tests, in order, up to the first that fails. */
  test(context: ExecutorContext): Promise<ConnectionCheck[]>;
  /** Why these secrets fit no target, as a sentence without its full stop; null when that is not known here. */
  problemWithSecrets?(secrets: Secrets): string | null;
  /**
   * Resolves what the target leaves to this agent. The result is kept when the credential is bound, and compared at
   * every use. Throws ExecutorFailure when the target cannot be resolved.
   */
  resolveTarget?(place: TargetPlace): Promise<JsonObject>;
}
