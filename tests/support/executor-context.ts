import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutorContext, ExecutorOutcome } from "../../agent/executors/executor.ts";
import { loadExecutor } from "../../agent/executors/index.ts";
import { programsHere } from "../../agent/programs/here.ts";
import type { Programs } from "../../agent/programs/program.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { Place } from "../../schema/contract/target-list.ts";
import { asDeclared } from "./declared-output.ts";

export interface TestJob {
  config?: JsonObject;
  place?: Place;
  secrets?: Record<string, string> | null;
  traceparent?: string;
  scriptSecrets?: Record<string, string>;
  params?: JsonObject;
  values?: Record<string, string>;
  signal?: AbortSignal;
  timeoutMs?: number;
  allowPrivateNetwork?: boolean;
  stateDirectory?: string;
  slackApiUrl?: string;
  allowOsRestart?: boolean;
  programs?: Programs;
}

/** A temporary state directory; `remove` deletes it with its contents. */
export async function temporaryState(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "bellhop-executor-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Runs an action as the agent's runner does. */
export async function runAction(type: ConnectionType, action: string, job: TestJob): Promise<ExecutorOutcome> {
  const executor = await loadExecutor(type);
  const run = executor?.actions[action];
  if (run === undefined) throw new Error(`there is no executor for ${action}`);
  return asDeclared(action, await inState(job, (stateDirectory) => run(contextOf(type, job, stateDirectory))));
}

export async function runTest(type: ConnectionType, job: TestJob) {
  const executor = await loadExecutor(type);
  if (executor === null) throw new Error(`there is no executor for ${type}`);
  return await inState(job, (stateDirectory) => executor.test(contextOf(type, job, stateDirectory)));
}

/** The output of an outcome with any status. */
export function outputOf(outcome: ExecutorOutcome): JsonObject {
  if (outcome.output === null) throw new Error(`there is no output: ${JSON.stringify(outcome)}`);
  return outcome.output;
}

export function textOf(output: JsonObject, name: string): string {
  const value: JsonValue | undefined = output[name];
  if (typeof value !== "string") throw new Error(`${name} is not a text: ${JSON.stringify(value)}`);
  return value;
}

export function failureOf(outcome: ExecutorOutcome): { code: string; message: string } {
  if (outcome.status !== "failed") throw new Error(`did not fail: ${JSON.stringify(outcome)}`);
  return outcome.error;
}

async function inState<T>(job: TestJob, use: (stateDirectory: string) => Promise<T>): Promise<T> {
  if (job.stateDirectory !== undefined) return await use(job.stateDirectory);
  const state = await temporaryState();
  return await use(state.path).finally(state.remove);
}

export function contextOf(type: ConnectionType, job: TestJob, stateDirectory: string): ExecutorContext {
  return {
    jobId: "job_test",
    connection: { id: "con_test", type, config: job.config ?? (type === "custom" ? { fields: {} } : {}) },
    place: job.place ?? null,
    secrets: job.secrets ?? null,
    confirmTarget: () => undefined,
    scriptSecrets: job.scriptSecrets ?? {},
    traceparent: job.traceparent ?? null,
    params: job.params ?? {},
    values: job.values ?? {},
    timeoutMs: job.timeoutMs ?? 60_000,
    signal: job.signal ?? new AbortController().signal,
    processMark: crypto.randomUUID(),
    programs: job.programs ?? programsHere(stateDirectory),
    settings: {
      allowPrivateNetwork: job.allowPrivateNetwork ?? true,
      allowOsRestart: job.allowOsRestart ?? false,
      slackApiUrl: job.slackApiUrl ?? "http://127.0.0.1:9",
      stateDirectory,
    },
  };
}
