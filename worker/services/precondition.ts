import { ProblemError } from "./problem.ts";

/** The revisions that the caller accepts for a change; null accepts any. */
export type ExpectedRevisions = ReadonlySet<number> | null;

/**
 * Refuses to change a record that is not as the caller saw it. Pass the row to which the conditional write is bound, so
 * that no other write can come between.
 */
export function requireRevision(expected: ExpectedRevisions, revision: number): void {
  if (expected === null || expected.has(revision)) return;
  throw new ProblemError(
    "precondition_failed",
    "This has changed since you read it, so nothing was done. Read it again, and send If-Match with the ETag that comes with it.",
    // The short form of the entity tag: the revision alone.
    { headers: { ETag: formatRevision(revision) } },
  );
}

/** An entity tag for a revision, in any representation. */
export function formatRevision(revision: number): string {
  return `"${revision}"`;
}
