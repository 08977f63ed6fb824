import { ProblemError } from "./problem.ts";

/** The revisions that a caller is ready to change; null when whatever there is may be changed. */
export type ExpectedRevisions = ReadonlySet<number> | null;

/**
 * Refuses a change to what is not as the caller saw it. To be asked of the row to which the conditional write is bound:
 * so nobody can come between.
 */
export function requireRevision(expected: ExpectedRevisions, revision: number): void {
  if (expected === null || expected.has(revision)) return;
  throw new ProblemError(
    "precondition_failed",
    "This has changed since you read it, so nothing was done. Read it again, and send If-Match with the ETag that comes with it.",
    // The short form: it names the revision alone.
    { headers: { ETag: formatRevision(revision) } },
  );
}

/** A tag that stands for a revision, however it is shown. */
export function formatRevision(revision: number): string {
  return `"${revision}"`;
}
