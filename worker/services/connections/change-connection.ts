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
  /** The conditional statement; the audit entry is written only if it changes a row. */
  write: Statement;
  /** Statements for the same batch. */
  also?: readonly Statement[];
  audit: Pick<AuditEntry, "actor" | "verb" | "detail">;
}

/**
 * Changes a connection by a conditional write. `decide` gets the row and returns the write, or null for none; it is
 * called again when another writer was first. The dispatcher reads a connection at every assignment
 * (docs/design/connections.md#edits); the notification makes it review waiting jobs that no agent polls for. Only
 * a row of an expected revision changes.
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
