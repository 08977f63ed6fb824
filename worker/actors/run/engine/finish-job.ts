import { effectOf } from "../../../../schema/contract/action.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import type { ActionNode } from "../../../../schema/contract/workflow.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import type { JobReport } from "../../../domain/job-order.ts";
import type { Draft } from "./draft.ts";
import { fail, succeed } from "./end-node.ts";
import type { NodeFailure } from "./end-node.ts";
import { outputTooLarge } from "./output-limits.ts";

/**
 * Ends the attempt of a job, or orders the job again where its connection is now. A report for another attempt than a
 * node's open one changes nothing: it was repeated, is late, or belongs to a replaced attempt.
 */
export function finishJob(draft: Draft, report: JobReport): void {
  const run = openRun(draft, report);
  if (run === null) return;
  const scope = draft.scopeOf(run);
  const { node } = scope.node(run.nodeId);
  if (node.type !== "action") return;
  if (report.reroute !== undefined && draft.supersededBy === null) {
    draft.effects.push({ type: "reorderJob", jobId: report.jobId });
    // The same attempt stays open. The job's new dispatcher is written with this step.
    return scope.update(run.nodeId, {});
  }
  const times = { ...report.times, queuedAt: report.times.queuedAt ?? run.timeline.queuedAt };
  const tooLarge = outputTooLarge(draft, report.output);
  if (report.status === "succeeded" && tooLarge === null) {
    return succeed(scope, run.nodeId, { output: report.output, times });
  }
  const failure = { ...failureOf(node, report, tooLarge), times };
  const wakeAt = tooLarge === null && draft.supersededBy === null ? retryAt(node, run, report, draft.now) : null;
  if (wakeAt === null) return fail(scope, run.nodeId, failure);
  // The node run shows the result of this attempt until the next one begins.
  scope.update(run.nodeId, {
    status: "waiting",
    wakeAt,
    output: failure.output ?? null,
    error: failure.error,
    timeline: times,
  });
}

function openRun(draft: Draft, { jobId, attempt }: JobReport): NodeRun | null {
  for (const run of draft.runs) {
    if (run.jobId === jobId && run.attempt === attempt && run.status === "running") return run;
  }
  return null;
}

/**
 * When the next attempt begins (epoch ms); null for none. A job with an unknown outcome is tried again only if it is
 * safe to run twice (invariant 5). The parameters are judged before rendering: a method that is a template counts as
 * unsafe.
 */
function retryAt(node: ActionNode, run: NodeRun, report: JobReport, now: number): number | null {
  const { retry } = node;
  if (retry === undefined || run.attempt >= retry.maxAttempts) return null;
  if (report.status === "cancelled" || report.status === "succeeded") return null;
  if (report.lost && effectOf(node.action, node.params) === "unsafe") return null;
  return now + Math.ceil(retry.backoffSeconds * 1_000);
}

function failureOf(node: ActionNode, report: JobReport, tooLarge: Failure | null): NodeFailure {
  if (tooLarge !== null) return { status: "failed", error: tooLarge };
  const { output } = report;
  const said = report.error;
  switch (report.status) {
    case "timed_out":
      return {
        status: "timed_out",
        output,
        error: said ?? {
          code: "timed_out",
          message: `The action did not end within its ${node.timeoutSeconds} s. Raise timeoutSeconds, or find out why the action takes so long.`,
        },
      };
    case "cancelled":
      return { status: "cancelled", output, error: said ?? { code: "cancelled", message: "The job was cancelled." } };
    case "succeeded":
    case "failed":
      return { status: "failed", output, error: report.lost ? lostError(said) : (said ?? UNEXPLAINED) };
  }
}

const UNEXPLAINED: Failure = {
  code: "failed",
  message: "The agent gave no reason. Look for one in the log of the agent on its machine.",
};

/**
 * An unknown outcome has one code, whether the agent was interrupted or is gone (invariant 5). Notifications have no
 * agent and keep their own code.
 */
function lostError(said: Failure | null): Failure {
  if (said?.code === "outcome_unknown") return said;
  const message =
    "The agent that had the job is gone, so the job's progress is unknown. Check the target system before you run it again.";
  return { code: "agent_lost", message: said?.message ?? message };
}
