import type { Evidence, JobFact } from "../evidence.ts";
import { kindOf } from "../workflows.ts";
import { groupBy, violation } from "./violation.ts";
import type { Violation } from "./violation.ts";

/** Whether a job may be begun only once, whatever happens (invariant 5). */
function isOnceOnly(evidence: Evidence): (job: JobFact) => boolean {
  const kinds = new Map(evidence.executions.map(({ id, kind }) => [id, kindOf(kind)]));
  return ({ effect, executionId }) =>
    effect === "unsafe" && executionId !== null && kinds.get(executionId)?.mayRunAgain !== true;
}

/** No unsafe job began twice: by the journals of agents, and by what the scripts wrote themselves. */
export function unsafeOnce(evidence: Evidence): Violation[] {
  const check = "an unsafe job begins once";
  const onceOnly = isOnceOnly(evidence);
  const jobs = new Map(evidence.jobs.map((job) => [job.id, job]));
  const begins = evidence.journals.flatMap(({ agent, records }) =>
    records.flatMap((record) => (record.type === "began" ? [{ ...record, agent }] : [])),
  );
  const byJob = groupBy(begins, ({ jobId }) => jobId);
  const twice = [...byJob].flatMap(([jobId, began]) => {
    const job = jobs.get(jobId);
    if (job === undefined) return [violation(check, `agents began ${jobId}, which the service does not know`)];
    if (began.length === 1 || !onceOnly(job)) return [];
    const where = began.map(({ agent, lease, at }) => `${agent} under ${lease} at ${time(at)}`);
    return [violation(check, `job ${jobId} began ${began.length} times: ${where.join(", ")}`, job.executionId)];
  });
  return [...twice, ...moreRunsThanBegins(evidence, byJob)];
}

/** Each run of a script needs a line in an agent's journal of its own. */
function moreRunsThanBegins(evidence: Evidence, byJob: ReadonlyMap<string, unknown[]>): Violation[] {
  const nodeRuns = new Map(evidence.nodeRuns.map((run) => [run.id, run]));
  const keys = new Map(evidence.executions.map(({ id, key }) => [id, key]));
  const begun = new Map<string, { begins: number; executionId: string }>();
  for (const { id, nodeRunId } of evidence.jobs) {
    const run = nodeRuns.get(nodeRunId ?? "");
    if (run === undefined) continue;
    const place = `${keys.get(run.executionId)} ${run.nodeId} ${run.iteration}`;
    const sofar = begun.get(place)?.begins ?? 0;
    begun.set(place, { begins: sofar + (byJob.get(id)?.length ?? 0), executionId: run.executionId });
  }
  return [...groupBy(evidence.runs, ({ key, nodeId, iteration }) => `${key} ${nodeId} ${iteration}`)].flatMap(
    ([place, ran]) => {
      const { begins, executionId } = begun.get(place) ?? { begins: 0, executionId: null };
      if (ran.length <= begins) return [];
      const tokens = ran.map(({ token, beganAt }) => `${token} at ${time(beganAt)}`).join(", ");
      const detail = `${place} ran ${ran.length} times (${tokens}), and agents began it ${begins} times`;
      return [violation("a script runs only when an agent has begun it", detail, executionId)];
    },
  );
}

/** A node that succeeded has really run to its end: the service's record names a run that wrote so itself. */
export function outcomesAreTrue({ nodeRuns, runs, jobs }: Evidence): Violation[] {
  const byToken = new Map(runs.map((run) => [run.token, run]));
  const scripts = new Set(jobs.flatMap(({ action, nodeRunId }) => (action === "script.bash" ? [nodeRunId] : [])));
  return nodeRuns.flatMap(({ id, executionId, nodeId, status, token }) => {
    if (status !== "succeeded" || !scripts.has(id)) return [];
    const run = token === null ? undefined : byToken.get(token);
    if (run !== undefined && run.endedAt !== null && run.nodeId === nodeId) return [];
    const said = token === null ? "its output names no run" : `its output names ${token}, which did not run to its end`;
    return [violation("what succeeded has run", `node run ${id} (${nodeId}) succeeded, and ${said}`, executionId)];
  });
}

/** Who is lost is lost for a reason, and only what must not run again fails by it. */
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
    if (agent === undefined) return [violation(check, `${what} was lost with no agent that we know`, executionId)];
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

const GONE_BY_SILENCE_MS = 60_000;

/** Killed or restarted in that time, or silent for so long that nobody can know. */
function wasGone({ faults, agentEnds }: Evidence, agent: string, fromMs: number, toMs: number): boolean {
  if (agentEnds.some((end) => end.agent === agent && end.at >= fromMs - 1_000 && end.at <= toMs + 1_000)) return true;
  return faults.some((inflicted) => {
    const { fault } = inflicted;
    const place = "target" in fault ? fault.target : "link" in fault ? fault.link : null;
    if (place !== agent || inflicted.toMs < fromMs || inflicted.fromMs > toMs) return false;
    return inflicted.toMs - inflicted.fromMs >= GONE_BY_SILENCE_MS;
  });
}

/** A node's retry never runs an unsafe job again whose outcome is unknown. */
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

function time(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString() : "the end";
}
