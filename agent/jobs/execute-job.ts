import { ACTIONS, isActionName } from "../../schema/contract/action.ts";
import type { Job } from "../../schema/contract/agent.ts";
import { needsCredential } from "../../schema/contract/connection.ts";
import type { Place } from "../../schema/contract/target-list.ts";
import type { Executors } from "../executors-port.ts";
import type { ExecutorContext, ExecutorOutcome, ExecutorSettings, RunAction } from "../executors/executor.ts";
import { ExecutorFailure } from "../executors/shared/failures.ts";
import { placeOfJob } from "./place-of-job.ts";
import { secretsSourceOf } from "./script-secrets.ts";
import { describeError } from "../log.ts";
import type { Programs } from "../programs/program.ts";
import { unsupported } from "./unsupported.ts";
import { secretsIn } from "../vault/releases.ts";
import type { Release } from "../vault/releases.ts";

export interface ExecuteDeps {
  executors: Executors;
  settings: ExecutorSettings;
  credential: Release;
  /** The result of `scriptCredentialOf`. */
  scriptCredential: Release | null;
  syncCredential: (job: Job) => Promise<ExecutorOutcome>;
  signal: AbortSignal;
  timeoutMs: number;
  processMark: string;
  programs: Programs;
  monotonicMs: () => number;
}

/** Runs one job with the executor of its connection's type. Never throws: an error becomes the outcome. */
export async function executeJob(job: Job, deps: ExecuteDeps): Promise<ExecutorOutcome> {
  try {
    switch (job.kind) {
      case "action":
        return await runAction(job, deps);
      case "connectionTest":
        return await testConnection(job, deps);
      case "credentialSync":
        return await deps.syncCredential(job);
    }
  } catch (error) {
    return failed("internal_error", `The action ended in an error of the agent itself: ${describeError(error)}`);
  }
}

async function runAction(job: Job, deps: ExecuteDeps): Promise<ExecutorOutcome> {
  if (job.connection === null || job.action === null) {
    return failed(
      "invalid_job",
      "The job names no action or no connection. Update the agent if it is older than the service.",
    );
  }
  const run = await findAction(job.action, job.connection.type, deps.executors);
  if (run === null) return { status: "failed", output: null, error: unsupported(job.action, job.connection.type) };
  return (
    refused(deps.credential) ??
    missingCredential(job.connection, deps.credential) ??
    (deps.scriptCredential === null ? null : refused(deps.scriptCredential)) ??
    missingScriptSecrets(job, deps.scriptCredential) ??
    atItsPlace(job, job.connection, deps, run)
  );
}

async function testConnection(job: Job, deps: ExecuteDeps): Promise<ExecutorOutcome> {
  if (job.connection === null)
    return failed("invalid_job", "The job names no connection. Update the agent if it is older than the service.");
  const executor = await deps.executors.load(job.connection.type);
  if (executor === null) {
    return { status: "failed", output: null, error: unsupported("a connection test", job.connection.type) };
  }
  const refusal = refused(deps.credential);
  if (refusal !== null) return refusal;
  const where = placeOfJob({ ...job, connection: job.connection }, deps.credential);
  if (!where.ok) return { status: "failed", output: null, error: where.error };
  const startedAt = deps.monotonicMs();
  const checks = await executor.test(contextOf(job, job.connection, where.place, deps));
  const latencyMs = Math.round(deps.monotonicMs() - startedAt);
  const output = { ok: checks.every((check) => check.ok), latencyMs, checks: checks.map((check) => ({ ...check })) };
  // A stopped test says nothing about the connection.
  if (deps.signal.aborted)
    return failed("stopped", "The test was stopped before it was done. Test the connection again.", output);
  return { status: "succeeded", output };
}

/** Runs an action on the connection's host, or on the one of several that the job names. */
async function atItsPlace(
  job: Job,
  connection: NonNullable<Job["connection"]>,
  deps: ExecuteDeps,
  run: RunAction,
): Promise<ExecutorOutcome> {
  const where = placeOfJob({ ...job, connection }, deps.credential);
  if (!where.ok) return { status: "failed", output: null, error: where.error };
  return await run(contextOf(job, connection, where.place, deps));
}

async function findAction(
  action: string,
  type: NonNullable<Job["connection"]>["type"],
  executors: Executors,
): Promise<RunAction | null> {
  const own = await executors.load(type);
  if (own !== null && Object.hasOwn(own.actions, action)) return own.actions[action] ?? null;
  // Scripts also run on a custom connection, with its secrets as environment variables
  // (docs/design/connections.md#secrets-for-scripts).
  if (type !== "custom" || !isActionName(action) || ACTIONS[action].connectionType !== "script") return null;
  const script = await executors.load("script");
  return script !== null && Object.hasOwn(script.actions, action) ? (script.actions[action] ?? null) : null;
}

/** A credential for another target stays in the vault, and the job does not run without it. */
function refused(credential: Release): ExecutorOutcome | null {
  return credential.state === "refused" ? { status: "failed", output: null, error: credential.error } : null;
}

function missingCredential(connection: NonNullable<Job["connection"]>, credential: Release): ExecutorOutcome | null {
  if (credential.state !== "none") return null;
  // The executor judges a configuration that this version does not know.
  if (needsCredential(connection) !== true) return null;
  return failed(
    "credential_missing",
    `This agent's vault has no credential for the connection ${connection.id}: deliver it through the service (npm run deliver), or on the ` +
      `agent's machine with: bellhop-agent credentials set ${connection.id}`,
  );
}

function missingScriptSecrets(job: Job, credential: Release | null): ExecutorOutcome | null {
  const source = secretsSourceOf(job);
  if (credential?.state !== "none") return null;
  return failed(
    "credential_missing",
    `This agent's vault has no credential for the custom connection ${source}, whose secrets the script is to get: ` +
      `deliver it to this agent, through the service or on the agent's machine with: bellhop-agent credentials set ${source}`,
  );
}

function contextOf(
  job: Job,
  connection: NonNullable<Job["connection"]>,
  place: Place | null,
  deps: ExecuteDeps,
): ExecutorContext {
  return {
    jobId: job.id,
    connection,
    place,
    secrets: secretsIn(deps.credential),
    confirmTarget: (resolved) => {
      const changed = deps.credential.state === "released" ? deps.credential.confirm(resolved) : null;
      if (changed !== null) throw new ExecutorFailure(changed.code, changed.message);
    },
    scriptSecrets: secretsIn(deps.scriptCredential) ?? {},
    params: job.params,
    values: job.values,
    traceparent: job.traceparent ?? null,
    timeoutMs: deps.timeoutMs,
    signal: deps.signal,
    processMark: deps.processMark,
    programs: deps.programs,
    settings: deps.settings,
  };
}

function failed(code: string, message: string, output: ExecutorOutcome["output"] | null = null): ExecutorOutcome {
  return { status: "failed", output, error: { code, message } };
}
