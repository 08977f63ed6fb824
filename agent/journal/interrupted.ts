import type { JobResult } from "../../schema/contract/agent.ts";
import type { Entry } from "./state.ts";

/** What was found of a job's processes, and ended, by the agent that started after the one that was killed. */
export interface FoundLeftover {
  found: number;
  left: number[];
}

/** The result of a job that ran when its agent was killed. `leftover`: null when nothing of it ran any more. */
export function interruptedResult(entry: Entry, leftover: FoundLeftover | null, now: number): JobResult {
  return {
    jobId: entry.jobId,
    lease: entry.lease,
    status: "interrupted",
    output: null,
    error: {
      code: "interrupted",
      message: [
        "The agent ended while this job ran, without a chance to say how far it had come.",
        ...(leftover === null ? [] : [whatWasFound(leftover)]),
        "Look at the target system before you run it again.",
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
    `It was still running when the agent started again (${what}), and could not be ended altogether: ` +
    `see to the process ids ${left.join(", ")} on the agent's machine.`
  );
}
