import type { Evidence, JobFact } from "../evidence.ts";
import type { ScriptRun } from "../script.ts";
import { kindOf } from "../workflows.ts";
import { wasGone } from "./gone.ts";
import { groupBy, time, violation } from "./violation.ts";
import type { Violation } from "./violation.ts";

/** Whether a job may begin only once in any case (invariant 5). */
function isOnceOnly(evidence: Evidence): (job: JobFact) => boolean {
  const kinds = new Map(evidence.executions.map(({ id, kind }) => [id, kindOf(kind)]));
  return ({ effect, executionId }) =>
    effect === "unsafe" && executionId !== null && kinds.get(executionId)?.mayRunAgain !== true;
}

/** No unsafe job ran twice: by the journals of agents, and by the scripts' own lines. */
export function unsafeOnce(evidence: Evidence): Violation[] {
  const check = "an unsafe job runs once";
  const onceOnly = isOnceOnly(evidence);
  const jobs = new Map(evidence.jobs.map((job) => [job.id, job]));
  const begins = evidence.journals.flatMap(({ agent, records }) =>
    records.flatMap((record) =>
      record.type === "began"
        ? [{ jobId: record.jobId, what: `began on ${agent} under ${record.lease} at ${time(record.at)}` }]
        : [],
    ),
  );
  const scripts = evidence.runs.map(({ jobId, token, beganAt }) => ({
    jobId,
    what: `ran as ${token} at ${time(beganAt)}`,
  }));
  const byJob = groupBy(begins, ({ jobId }) => jobId);
  const twice = [...byJob, ...groupBy(scripts, ({ jobId }) => jobId)].flatMap(([jobId, seen]) => {
    const job = jobs.get(jobId);
    const what = seen.map((each) => each.what).join(", ");
    if (job === undefined) return [violation(check, `job ${jobId} ${what}, and the service does not know it`)];
    if (seen.length === 1 || !onceOnly(job)) return [];
    return [violation(check, `job ${jobId} ${what}`, job.executionId)];
  });
  return [...twice, ...moreRunsThanBegins(evidence, byJob)];
}

/** Each run of a script needs its own line in an agent's journal. */
function moreRunsThanBegins({ runs, jobs }: Evidence, begins: ReadonlyMap<string, unknown[]>): Violation[] {
  return [...groupBy(runs, ({ jobId }) => jobId)].flatMap(([jobId, ran]) => {
    const begun = begins.get(jobId)?.length ?? 0;
    if (ran.length <= begun) return [];
    const tokens = ran.map(({ token, beganAt }) => `${token} at ${time(beganAt)}`).join(", ");
    const detail = `the script of ${jobId} ran ${ran.length} times (${tokens}), and agents began it ${begun} times`;
    const executionId = jobs.find(({ id }) => id === jobId)?.executionId ?? null;
    return [violation("a script runs only when an agent has begun it", detail, executionId)];
  });
}

/**
 * A node that succeeded really ran to its end: the service's record names a run whose own lines say so, and that run
 * was for this node of this event.
 */
export function outcomesAreTrue({ executions, nodeRuns, runs, jobs }: Evidence): Violation[] {
  const byToken = new Map(runs.map((run) => [run.token, run]));
  const keys = new Map(executions.map(({ id, key }) => [id, key]));
  const scripts = groupBy(
    jobs.filter(({ action }) => action === "script.bash"),
    ({ nodeRunId }) => nodeRunId ?? "",
  );
  return nodeRuns.flatMap(({ id, executionId, nodeId, iteration, status, token }) => {
    const own = scripts.get(id);
    if (status !== "succeeded" || own === undefined) return [];
    const isOwn = (run: ScriptRun) =>
      run.nodeId === nodeId &&
      run.iteration === iteration &&
      run.key === keys.get(executionId) &&
      own.some((job) => job.id === run.jobId);
    const said = wrongIn(token === null ? null : (byToken.get(token) ?? null), token, isOwn);
    if (said === null) return [];
    return [violation("what succeeded has run", `node run ${id} (${nodeId}) succeeded, and ${said}`, executionId)];
  });
}

function wrongIn(run: ScriptRun | null, token: string | null, isOwn: (run: ScriptRun) => boolean): string | null {
  if (token === null) return "its output names no run";
  if (run === null || run.endedAt === null) return `its output names ${token}, which did not run to its end`;
  return isOwn(run) ? null : `its output names ${token}, which ran for job ${run.jobId} (${run.nodeId}, ${run.key})`;
}

/** Every loss of a job has a cause, and only jobs that must not run again fail by it. */
export function lostForAReason(evidence: Evidence): Violation[] {
  const check = "agent_lost is for unsafe jobs of agents that were gone";
  const onceOnly = isOnceOnly(evidence);
  const names = new Map(evidence.journals.map(({ agentId, agent }) => [agentId, agent]));
  return evidence.jobs.flatMap((job) => {
    if (job.errorCode !== "agent_lost" && job.errorCode !== "interrupted") return [];
    const { id, action, effect, agentId, deliveredAt, finishedAt, executionId } = job;
    if (executionId === null) return [];
    const what = `job ${id} (${action ?? "no action"}, ${effect})`;
    if (!onceOnly(job))
      return [violation(check, `${what} may run again, and failed with ${job.errorCode}`, executionId)];
    const agent = names.get(agentId ?? "");
    if (agent === undefined) return [violation(check, `${what} was lost without a known agent`, executionId)];
    const from = deliveredAt ?? job.queuedAt;
    const to = finishedAt ?? Number.POSITIVE_INFINITY;
    if (wasGone(evidence, agent, from, to)) return [];
    return [
      violation(
        check,
        `${what} was lost on ${agent}, which was not gone from ${time(from)} to ${time(to)}`,
        executionId,
      ),
    ];
  });
}

/** A node's retry never runs an unsafe job again while its outcome is unknown. */
export function noRetryOfLost(evidence: Evidence): Violation[] {
  const onceOnly = isOnceOnly(evidence);
  const byNodeRun = groupBy(
    evidence.jobs.filter(({ nodeRunId }) => nodeRunId !== null),
    ({ nodeRunId }) => nodeRunId ?? "",
  );
  return [...byNodeRun.values()].flatMap((jobs) => {
    const lost = jobs.find(
      (job) => onceOnly(job) && (job.errorCode === "agent_lost" || job.errorCode === "interrupted"),
    );
    const later = lost === undefined ? undefined : jobs.find(({ attempt }) => attempt > lost.attempt);
    if (lost === undefined || later === undefined) return [];
    const detail = `job ${lost.id} was lost, and ${later.id} tried it again`;
    return [violation("a retry never runs a lost unsafe job again", detail, lost.executionId)];
  });
}
