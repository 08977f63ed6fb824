import { jobResultSchema } from "../../schema/contract/agent.ts";
import type { JobResultStatus } from "../../schema/contract/agent.ts";
import type { Evidence } from "../evidence.ts";
import { wasGone } from "./gone.ts";
import { groupBy, time, violation } from "./violation.ts";
import type { Violation } from "./violation.ts";

/** Each lease runs once, in one agent (invariants 2 and 3). */
export function leasesHeldOnce({ journals }: Evidence): Violation[] {
  const held = journals.flatMap(({ agent, records }) =>
    records.flatMap((record) => (record.type === "began" ? [{ agent, ref: `${record.jobId}:${record.lease}` }] : [])),
  );
  return [...groupBy(held, ({ ref }) => ref)].flatMap(([ref, begins]) =>
    begins.length === 1
      ? []
      : [violation("a lease is held once", `${ref} began on ${begins.map(({ agent }) => agent).join(" and ")}`)],
  );
}

/** A job's next lease begins only after a loss of the agent that began the one before (invariants 2 and 5). */
export function leasesFollowLoss(evidence: Evidence): Violation[] {
  const begins = evidence.journals.flatMap(({ agent, records }) =>
    records.flatMap((record) => (record.type === "began" ? [{ ...record, agent }] : [])),
  );
  const jobs = new Map(evidence.jobs.map((job) => [job.id, job]));
  return [...groupBy(begins, ({ jobId }) => jobId)].flatMap(([jobId, unsorted]) => {
    const ordered = unsorted.toSorted((a, b) => a.at - b.at);
    return ordered.slice(1).flatMap((later, index) => {
      const before = ordered[index];
      // leasesHeldOnce reports a repeated lease.
      if (before === undefined || before.lease === later.lease) return [];
      if (wasGone(evidence, before.agent, before.at, later.at)) return [];
      const detail =
        `job ${jobId} began on ${before.agent} under ${before.lease} at ${time(before.at)}, and on ${later.agent} under ` +
        `${later.lease} at ${time(later.at)}; ${before.agent} was not gone between`;
      return [violation("another lease is given only when the first was lost", detail, jobs.get(jobId)?.executionId)];
    });
  });
}

interface ReportedResult {
  agent: string;
  jobId: string;
  lease: string;
  status: JobResultStatus;
  /** Null while the service has not answered. */
  ack: string | null;
}

/** What agents reported, with the last answer to each. */
function resultsReported({ journals }: Evidence): ReportedResult[] {
  return journals.flatMap(({ agent, records }) => {
    const reported = new Map<string, ReportedResult>();
    for (const record of records) {
      if (record.type === "opened" || record.type === "began") continue;
      const ref = `${record.jobId}:${record.lease}`;
      const sofar = reported.get(ref);
      if (record.type === "finished") {
        const { status } = jobResultSchema.parse(record.result);
        reported.set(ref, { agent, jobId: record.jobId, lease: record.lease, status, ack: sofar?.ack ?? null });
      } else if (record.type === "owed" && sofar !== undefined) {
        reported.delete(ref);
        reported.set(`${record.jobId}:${record.newLease}`, { ...sofar, lease: record.newLease, ack: null });
      } else if (record.type === "acknowledged" && sofar !== undefined) sofar.ack = record.ack;
    }
    return [...reported.values()];
  });
}

/**
 * Each job's end was accepted once, is the agent's result, and no agent still has it to report (invariants 2 and 4).
 */
export function resultsTakenOnce(evidence: Evidence): Violation[] {
  const check = "a result is taken once, as it was reported";
  const jobs = new Map(evidence.jobs.map((job) => [job.id, job]));
  const reported = resultsReported(evidence);
  const owed = reported
    .filter(({ ack }) => ack === null)
    .map(({ agent, jobId }) =>
      violation("no result is owed", `${agent} still has the result of ${jobId}`, jobs.get(jobId)?.executionId ?? null),
    );
  // An interrupted run is no result: a job that may run again continues after it.
  const taken = reported.filter(
    ({ ack, status }) => (ack === "accepted" || ack === "duplicate") && status !== "interrupted",
  );
  const wrong = [...groupBy(taken, ({ jobId }) => jobId)].flatMap(([jobId, results]) => {
    const job = jobs.get(jobId);
    const executionId = job?.executionId ?? null;
    const said = results.map(({ agent, lease, status }) => `${status} by ${agent} under ${lease}`).join(", ");
    if (results.length > 1) return [violation(check, `job ${jobId} was taken more than once: ${said}`, executionId)];
    if (job === undefined || results.some(({ status }) => status === job.status)) return [];
    // A cancel that was committed first wins over the agent's result.
    if (job.status === "cancelled") return [];
    return [violation(check, `job ${jobId} is ${job.status}, and the result that was taken is ${said}`, executionId)];
  });
  const late = evidence.lateResults.flatMap(({ jobId, lease }) =>
    taken.some((result) => result.jobId === jobId && result.lease === lease)
      ? [
          violation(
            "a late result changes nothing",
            `${jobId}:${lease} was recorded as late, and taken`,
            jobs.get(jobId)?.executionId ?? null,
          ),
        ]
      : [],
  );
  // The answer may have been lost. A dispatcher answers "unknown" for another dispatcher's job that has ended.
  const unsaid = evidence.jobs.flatMap(({ id, status, executionId }) =>
    status === "succeeded" && !reported.some((result) => result.jobId === id && result.status === "succeeded")
      ? [violation(check, `job ${id} is succeeded, and no agent's journal says so`, executionId)]
      : [],
  );
  return [...owed, ...wrong, ...late, ...unsaid];
}
