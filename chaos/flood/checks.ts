import { groupBy, violation } from "../checks/violation.ts";
import type { Violation } from "../checks/violation.ts";
import type { AgentJob } from "./agent.ts";
import type { FloodEvent } from "./send.ts";

/** An execution in the database after the drain. */
export interface FloodExecution {
  id: string;
  mark: string;
  status: string;
  jobs: number;
  succeededJobs: number;
  lateResults: number;
}

const EXACTLY_ONCE = "an accepted event ends exactly once";
const ATTEMPTS_MAX = 8;

/** Every accepted event has one execution, which succeeded with one job, one lease and one accepted result. */
export function endedOnce(
  events: readonly FloodEvent[],
  executions: readonly FloodExecution[],
  jobs: readonly AgentJob[],
): Violation[] {
  const byMark = groupBy(executions, ({ mark }) => mark);
  const jobsOf = groupBy(jobs, ({ mark }) => mark);
  const known = new Set(events.map(({ mark }) => mark));
  const strangers = executions
    .filter(({ mark }) => !known.has(mark))
    .map(({ id, mark }) => violation(EXACTLY_ONCE, `execution ${id} has an event that was never sent: ${mark}`, id));
  const wrong = events.flatMap(({ mark, executionIds }) => {
    const found = byMark.get(mark) ?? [];
    // Without a 200 the sender does not know whether its event was accepted.
    if (executionIds.length === 0 && found.length === 0) return [];
    const [execution] = found;
    const problem =
      found.length === 1 && execution !== undefined
        ? problemOf(execution, executionIds, jobsOf.get(mark) ?? [])
        : `${found.length} executions (answered: ${executionIds.join(", ") || "none"})`;
    return problem === null ? [] : [violation(EXACTLY_ONCE, `event ${mark} has ${problem}`, execution?.id)];
  });
  return [...strangers, ...wrong];
}

export function pausedBetweenAttempts(longestRow: number): Violation[] {
  if (longestRow <= ATTEMPTS_MAX) return [];
  const detail = `a batch was tried ${longestRow} times in a row without a pause; ${ATTEMPTS_MAX} is the most`;
  return [violation("a refused batch pauses", detail)];
}

function problemOf(execution: FloodExecution, answered: readonly string[], jobs: readonly AgentJob[]): string | null {
  const { id, status } = execution;
  if (answered.some((each) => each !== id)) return `execution ${id}, and was answered with ${answered.join(", ")}`;
  if (status !== "succeeded") return `execution ${id}, which is ${status}`;
  if (execution.jobs !== 1 || execution.succeededJobs !== 1) {
    return `${execution.jobs} jobs, of which ${execution.succeededJobs} succeeded`;
  }
  if (jobs.length !== 1) return `a job that was started ${jobs.length} times`;
  const accepted = jobs.filter(({ ack }) => ack === "accepted" || ack === "duplicate").length;
  if (accepted !== 1 || execution.lateResults > 0) {
    return `${accepted} accepted and ${execution.lateResults} late results`;
  }
  return null;
}
