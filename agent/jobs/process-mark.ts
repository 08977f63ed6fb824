import type { Entry } from "../journal/state.ts";

/**
 * What the processes of one attempt at a job carry in their environment. No other agent's journal and no other attempt
 * makes the same, so that what is found by it is this job's and nothing else.
 */
export function processMarkOf(journalId: string, { jobId, attempt }: Pick<Entry, "jobId" | "attempt">): string {
  return `${journalId}/${jobId}/${attempt}`;
}
