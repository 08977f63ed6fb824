import { findConnection } from "../../store/connections.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import type { AuditEntry } from "../audit-record.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { reviewJobs } from "./review-jobs.ts";

export interface ConnectionChange {
  /** The conditional statement; the audit entry stands or falls with it. */
  write: Statement;
  /** What is written along with it. */
  also?: readonly Statement[];
  audit: Pick<AuditEntry, "actor" | "verb" | "detail">;
}

/**
 * Changes a connection by a conditional write. `decide` sees the row and says what to write; null writes nothing. It
 * is asked again when somebody else was first. The dispatcher reads connections anew at every assignment
 * (docs/design/connections.md#edits); it is told so that what waits and no agent asks for is looked at, too. Only a row of an
 * expected revision changes.
 */
export async function changeConnection(
  deps: Deps,
  id: string,
  decide: (row: ConnectionRow) => ConnectionChange | null | Promise<ConnectionChange | null>,
  expected: ExpectedRevisions = null,
): Promise<void> {
  const changed = await retryOnConflict("This connection", async () => {
    const row = await findConnection(deps.db, id);
    if (row === null) throw notFound("connection", id);
    requireRevision(expected, row.revision);
    const change = await decide(row);
    if (change === null) return { review: null };
    const audit = recordIfChanged(deps, { ...change.audit, subjectType: "connection", subjectId: id });
    await writeBatch(deps.db, [change.write, audit, ...(change.also ?? [])]);
    return { review: row };
  });
  if (changed.review !== null) await reviewJobs(deps, changed.review);
}
