import type { Entry } from "../journal/state.ts";

/**
 * The mark in the environment of the processes of one attempt at a job. No other agent or attempt has the same mark, so
 * it finds only processes of this attempt.
 */
export function processMarkOf(journalId: string, { jobId, attempt }: Pick<Entry, "jobId" | "attempt">): string {
  return `${journalId}/${jobId}/${attempt}`;
}
