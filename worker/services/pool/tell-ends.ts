import type { JobFacts } from "../../actors/dispatcher/rules/job.ts";
import type { FinishedJob } from "../../actors/dispatcher/rules/judge-result.ts";
import type { JobReport } from "../../domain/run-types.ts";
import { logWarning } from "../log.ts";
import { dispatchWaiting } from "./dispatch-waiting.ts";
import type { LiveJob } from "./job-book.ts";
import { nextPrune } from "./pool.ts";
import type { Pool } from "./pool.ts";

const RETRY_FIRST_MS = 1_000;
const RETRY_LONGEST_MS = 30_000;
export const CALLS_AT_ONCE = 16;

/**
 * Tells a job's end to whoever ordered it, then forgets the job: first Run commits, then the lease is released (design
 * 3, "Pool → Run → Pool"). False when it could not be told; the job stays as it is. One call at a time for each job:
 * a second one waits for the first and shares its outcome.
 */
export function settle(pool: Pool, live: LiveJob, end: SettledEnd): Promise<boolean> {
  if (live.busy !== null) return live.busy;
  const busy = tellAndForget(pool, live, end).finally(() => {
    live.busy = null;
  });
  live.busy = busy;
  return busy;
}

export interface SettledEnd {
  report: JobReport;
  lease: string | null;
  by: "result" | "service";
}

/** Tells every end that Pool itself has decided. Never throws; what could not be told is tried again by the alarm. */
export async function tellEnds(pool: Pool): Promise<void> {
  const { timers } = pool;
  const now = pool.world.now();
  if (timers.tellFailures > 0 && timers.tellEndsAt !== null && timers.tellEndsAt > now) return;
  const ended = pool.jobs.ended();
  // Should the object end half-way, the alarm goes on.
  timers.tellEndsAt = ended.length === 0 ? null : now + RETRY_LONGEST_MS;
  if (timers.tellEndsAt !== null) pool.alarm.by(timers.tellEndsAt);
  const told = await inTurns(ended, CALLS_AT_ONCE, (live) => tellEnd(pool, live));
  if (told.every(Boolean)) {
    timers.tellFailures = 0;
    timers.tellEndsAt = pool.jobs.ended().length === 0 ? null : timers.tellEndsAt;
    return;
  }
  timers.tellFailures += 1;
  timers.tellEndsAt = now + Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** (timers.tellFailures - 1));
  pool.alarm.by(timers.tellEndsAt);
}

/** Works through `items`, at most `width` at a time; the answers keep their order. */
export async function inTurns<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let i = 0; i < items.length; i += width) {
    answers.push(...(await Promise.all(items.slice(i, i + width).map(work))));
  }
  return answers;
}

async function tellEnd(pool: Pool, live: LiveJob): Promise<boolean> {
  const { stage } = live.job;
  if (stage.type !== "ended") return true;
  return settle(pool, live, { report: stage.report, lease: stage.lease, by: "service" });
}

async function tellAndForget(pool: Pool, live: LiveJob, { report, lease, by }: SettledEnd): Promise<boolean> {
  const { facts } = live.job;
  try {
    await pool.world.tellEnd(facts, report);
  } catch (error) {
    logWarning("a job's end could not be told; it is tried again", { jobId: facts.jobId, error: String(error) });
    pool.alarm.by(pool.world.now() + RETRY_FIRST_MS);
    return false;
  }
  const now = pool.world.now();
  const { agentId } = report;
  const succeeded = countedAs(facts, report);
  const finished: FinishedJob = {
    jobId: facts.jobId,
    attempt: facts.attempt,
    lease,
    agentId,
    reroutes: facts.reroutes ?? 0,
    by: report.reroute === undefined ? by : "rerouted",
    succeeded,
    finishedAt: now,
  };
  pool.jobs.finish(live, finished);
  pool.timers.pruneAt ??= nextPrune(pool.storage);
  const agent = agentId === null ? undefined : pool.agents.get(agentId);
  if (agent !== undefined) {
    if (succeeded !== null) agent.outcomes.add(succeeded, now);
    agent.lastBusyAt = now;
    if (agent.toldRoom !== null && lease !== null) agent.toldRoom += 1;
  }
  dispatchWaiting(pool);
  return true;
}

/** Finished action jobs count for the agent that had them, cancelled ones do not (design 5). */
function countedAs(facts: JobFacts, report: JobReport): boolean | null {
  if (facts.kind !== "action" || report.agentId === null || report.status === "cancelled") return null;
  return report.status === "succeeded";
}
