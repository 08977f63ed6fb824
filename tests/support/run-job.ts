import { join } from "node:path";
import { newActivity } from "../../agent/activity.ts";
import { systemClock } from "../../agent/clock.ts";
import { capabilities, loadExecutor } from "../../agent/executors/index.ts";
import { JobRunner } from "../../agent/job-runner.ts";
import { Masker } from "../../agent/jobs/masker.ts";
import { Journal } from "../../agent/journal/index.ts";
import { createLog } from "../../agent/log.ts";
import { formsOfSecrets } from "../../agent/mask-forms.ts";
import { programsHere } from "../../agent/programs/here.ts";
import type { JobResult } from "../../schema/contract/agent.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { releasesOf } from "./bound-credential.ts";
import { asDeclared } from "./declared-output.ts";
import { eventually } from "./eventually.ts";
import { temporaryState } from "./executor-context.ts";

const CONNECTION_ID = "con_1";

export interface JobToRun {
  type: ConnectionType;
  config?: JsonObject;
  /** The configuration for which the credential was sealed, when the job has another one. */
  sealedFor?: JsonObject;
  target?: string;
  secrets?: Record<string, string> | null;
  /** Secrets of other connections in the vault, by connection id. */
  otherSecrets?: Record<string, Record<string, string>>;
  /** Null: the connection's test. */
  action: string | null;
  params?: JsonObject;
  values?: Record<string, string>;
  timeoutSeconds?: number;
  allowPrivateNetwork?: boolean;
  allowOsRestart?: boolean;
  slackApiUrl?: string;
}

export interface BegunJob {
  /** The agent's report: status, output and error, masked and within their limits. */
  result: Promise<JobResult>;
  cancel(): void;
  /** Ends the job's time now. */
  timeOut(): void;
}

/** Runs a job through the agent's own runner and journal, with the real time-out, cancel, limits and masking. */
export async function runJob(job: JobToRun): Promise<JobResult> {
  return (await beginJob(job)).result;
}

/** Runs a job until it has begun its work, and then ends its time, so that the machine's speed does not matter. */
export async function runUntilTimeOut(
  job: JobToRun,
  what: string,
  hasBegun: () => boolean | Promise<boolean>,
): Promise<JobResult> {
  const begun = await beginJob(job);
  await eventually(what, hasBegun);
  begun.timeOut();
  return await begun.result;
}

export async function beginJob(job: JobToRun): Promise<BegunJob> {
  const state = await temporaryState();
  const log = createLog({
    level: "ERROR",
    mask: (text) => text,
    write: () => undefined,
    now: Date.now,
    human: false,
  });
  const journal = await Journal.open({
    path: join(state.path, "vault.journal"),
    log,
    now: Date.now,
    newId: () => crypto.randomUUID(),
  });
  const masker = new Masker();
  const others = job.otherSecrets ?? {};
  masker.setForms([job.secrets ?? {}, ...Object.values(others)].flatMap(formsOfSecrets));
  const custom = Object.entries(others).map(
    ([id, secrets]) => [id, { type: "custom", config: { fields: {} }, secrets }] as const,
  );
  const { type, secrets = null } = job;
  const config = job.sealedFor ?? job.config ?? {};
  const held = {
    ...Object.fromEntries(custom),
    ...(secrets === null ? {} : { [CONNECTION_ID]: { type, config, secrets } }),
  };
  const runner = new JobRunner({
    journal,
    vault: { ready: Promise.resolve(), releases: await releasesOf(held, job) },
    executors: { load: loadExecutor, capabilities },
    settings: {
      allowPrivateNetwork: job.allowPrivateNetwork ?? true,
      allowOsRestart: job.allowOsRestart ?? false,
      slackApiUrl: job.slackApiUrl ?? "http://127.0.0.1:9",
      stateDirectory: state.path,
    },
    programs: programsHere(state.path),
    syncCredential: () => Promise.reject(new Error("there is no vault here")),
    masker,
    activity: newActivity(0),
    log,
    clock: systemClock,
    onFinished: () => undefined,
  });
  const ref = { jobId: "job_1", lease: "lease-1" };
  await runner.start({
    id: ref.jobId,
    kind: job.action === null ? "connectionTest" : "action",
    lease: ref.lease,
    action: job.action,
    effect: "unsafe",
    connection: { id: CONNECTION_ID, type: job.type, config: job.config ?? {} },
    ...(job.target === undefined ? {} : { target: job.target }),
    params: job.params ?? {},
    values: job.values ?? {},
    timeoutSeconds: job.timeoutSeconds ?? 30,
    startWithinSeconds: 60,
    attempt: 1,
  });
  return { result: resultOf(), cancel: () => runner.cancel(ref), timeOut: () => runner.stopAll("timed_out") };

  async function resultOf(): Promise<JobResult> {
    try {
      await runner.idle();
      const [entry] = journal.owed();
      if (entry === undefined) throw new Error("the runner wrote no result");
      const result = await journal.resultOf(entry);
      return job.action === null ? result : asDeclared(job.action, result);
    } finally {
      await journal.close();
      await state.remove();
    }
  }
}
