import type { JobResult } from "../../schema/contract/agent.ts";
import type { Entry } from "./state.ts";

/** The processes of a job that a killed agent left behind, found and ended by the next agent. */
export interface FoundLeftover {
  found: number;
  left: number[];
}

/** The result of a job that ran when its agent was killed. `leftover`: null when no process of it was found. */
export function interruptedResult(entry: Entry, leftover: FoundLeftover | null, now: number): JobResult {
  return {
    jobId: entry.jobId,
    lease: entry.lease,
    status: "interrupted",
    output: null,
    error: {
      code: "interrupted",
      message: [
        "The agent ended while this job ran, and did not record how far the job had come.",
        ...(leftover === null ? [] : [whatWasFound(leftover)]),
        "Check the target system before you run it again.",
      ].join(" "),
    },
    startedAt: new Date(entry.startedAt).toISOString(),
    finishedAt: new Date(now).toISOString(),
  };
}

function whatWasFound({ found, left }: FoundLeftover): string {
  const what = found === 1 ? "1 process" : `${found} processes`;
  if (left.length === 0) return `It was still running when the agent started again (${what}), and was ended.`;
  return (
    `It was still running when the agent started again (${what}), and could not be ended completely: ` +
    `end the processes ${left.join(", ")} on the agent's machine.`
  );
}
