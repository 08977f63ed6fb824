import { z } from "zod";
import type { Job, JobResult, JobResultStatus } from "../../schema/contract/agent.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import type { ExecutorOutcome } from "../executors/executor.ts";
import { limitOutput } from "./output-limit.ts";
import type { Masker } from "./masker.ts";

const MESSAGE_MAX_CHARS = 4_000;
const CODE_FORM = /^[a-z][a-z0-9_]{0,63}$/u;

/** Why the runner stopped a job. */
export type StopReason = "timed_out" | "cancelled" | "agent_shutdown" | "superseded";

export interface FinishedJob {
  /** Fields other than these are not known for a job that an earlier process began. */
  job: Pick<Job, "id" | "lease" | "timeoutSeconds"> & Partial<Pick<Job, "action" | "executionId" | "kind">>;
  /** Null: the executor did not return after it was stopped. */
  outcome: ExecutorOutcome | null;
  stop: StopReason | null;
  /** Epoch milliseconds. */
  startedAt: number;
  finishedAt: number;
}

/** The reported result. The status follows from the outcome and the reason for a stop. Secrets are masked. */
export function toResult(finished: FinishedJob, masker: Masker): JobResult {
  const { job, outcome, startedAt, finishedAt } = finished;
  const { status, error } = verdict(finished);
  return {
    jobId: job.id,
    lease: job.lease,
    status,
    output: outcome?.output == null ? null : limitOutput(masker.output(outcome.output)),
    error: error === null ? null : presentable(error, masker),
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
  };
}

const testOutputSchema = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

/** For the log: a finished test has succeeded with any verdict. Takes the masked output. */
export function testVerdict(output: JobResult["output"]): { ok?: boolean; reason?: string } {
  const test = testOutputSchema.safeParse(output);
  if (!test.success) return {};
  const refused = test.data.checks.find(({ ok }) => !ok);
  return { ok: test.data.ok, ...(refused === undefined ? {} : { reason: `${refused.name}: ${refused.detail}` }) };
}

const STOPPED = {
  timed_out: {
    status: "timed_out",
    code: "timed_out",
    message: "exceeded its time limit of {seconds} s and was stopped",
  },
  cancelled: { status: "cancelled", code: "cancelled", message: "was cancelled while it ran" },
  agent_shutdown: {
    status: "failed",
    code: "agent_shutdown",
    message: "was stopped because the agent shut down and it had not ended within 30 s",
  },
  superseded: {
    status: "failed",
    code: "agent_superseded",
    message: "was stopped because another process registered as this agent",
  },
} as const satisfies Record<StopReason, { status: JobResultStatus; code: string; message: string }>;

function verdict({ job, outcome, stop }: FinishedJob): { status: JobResultStatus; error: Failure | null } {
  // A finished action has succeeded, even when it was stopped in the same moment.
  if (outcome?.status === "succeeded") return { status: "succeeded", error: null };
  if (stop !== null) {
    const { status, code, message } = STOPPED[stop];
    const lingering = outcome === null ? "; it did not react to that, and may still be running" : "";
    // Says where the action was when it ended, and whether remote work has really stopped.
    const advice = stop === "timed_out" ? " Give it more time, or less work." : "";
    const where = outcome?.error.code === "job_ended" ? ` ${outcome.error.message}` : advice;
    return {
      status,
      error: {
        code,
        message: `The action ${message.replace("{seconds}", String(job.timeoutSeconds))}${lingering}.${where}`,
      },
    };
  }
  const error = outcome?.error ?? { code: "internal_error", message: "The action ended without an outcome." };
  return { status: "failed", error };
}

function presentable({ code, message }: Failure, masker: Masker): Failure {
  return {
    code: CODE_FORM.test(code) ? code : "failed",
    message: masker.text(message).slice(0, MESSAGE_MAX_CHARS).toWellFormed(),
  };
}
