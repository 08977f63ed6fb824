import type { JobTimes } from "../job-order.ts";
import type { EndedJob } from "./ended-execution.ts";
import type { Span } from "./span.ts";
import { derivedSpanId, spanIdOf } from "./trace-ids.ts";
import type { DerivedSpan } from "./trace-ids.ts";

/** Each stage from its time to the next one that the job reached (docs/design/dispatch.md#stages). */
const STAGES = [
  ["queued", "queuedAt"],
  ["assigned", "assignedAt"],
  ["delivered", "deliveredAt"],
  ["running", "startedAt"],
  ["reported", "finishedAt"],
] as const satisfies [DerivedSpan, keyof JobTimes][];

/** A span for each job of a node run, which are its attempts, with the job's stages below it. */
export function jobSpans({ traceId, spanId }: Span, jobs: readonly EndedJob[], executionEndMs: number): Span[] {
  return jobs.flatMap((job) => {
    const times = byServiceClock(job.times);
    const startMs = times.queuedAt ?? executionEndMs;
    const endMs = Math.max(startMs, times.reportedAt ?? times.finishedAt ?? executionEndMs);
    const failed = job.status === "failed" || job.status === "timed_out";
    const span: Span = {
      traceId,
      spanId: spanIdOf(job.id),
      parentSpanId: spanId,
      name: job.action ?? "job",
      startMs,
      endMs,
      attributes: attributesOf(job),
      error: failed ? (job.errorCode ?? job.status) : null,
      events: job.lost.map(({ agentId, lostAt }) => ({
        name: "lost",
        atMs: lostAt,
        attributes: { "bellhop.agent.id": agentId },
      })),
      links: [],
    };
    return [span, ...stageSpans(span, job.id, times)];
  });
}

function stageSpans(job: Span, jobId: string, times: JobTimes): Span[] {
  const reached = STAGES.flatMap(([name, column]) => {
    const at = times[column];
    return at === null ? [] : [{ name, at }];
  });
  return reached.flatMap(({ name, at }, index): Span[] => {
    const startMs = Math.min(Math.max(at, job.startMs), job.endMs);
    const endMs = Math.min(Math.max(reached[index + 1]?.at ?? job.endMs, startMs), job.endMs);
    // Without a report nothing follows the end.
    if (name === "reported" && times.reportedAt === null) return [];
    const span = { ...job, spanId: derivedSpanId(jobId, name), parentSpanId: job.spanId, name };
    return [{ ...span, startMs, endMs, attributes: {}, error: null, events: [] }];
  });
}

/**
 * The agent's clock may be wrong, but a job runs between its delivery and its report. Outside of them the run is moved
 * there, with its duration.
 */
function byServiceClock(times: JobTimes): JobTimes {
  const { deliveredAt, startedAt, finishedAt, reportedAt } = times;
  if (deliveredAt === null || startedAt === null || finishedAt === null || reportedAt === null) return times;
  const durationMs = Math.max(0, finishedAt - startedAt);
  const start = Math.max(deliveredAt, Math.min(startedAt, reportedAt - durationMs));
  return { ...times, startedAt: start, finishedAt: Math.min(start + durationMs, reportedAt) };
}

function attributesOf(job: EndedJob): Span["attributes"] {
  const { poolObject } = job;
  return {
    "bellhop.job.id": job.id,
    "bellhop.job.status": job.status,
    "bellhop.job.attempt": job.attempt,
    "bellhop.job.effect": job.effect,
    "bellhop.connection.id": job.connectionId,
    "bellhop.agent.id": job.agentId,
    "bellhop.pool.id": poolObject.startsWith("pool:") ? poolObject.slice("pool:".length) : null,
  };
}
