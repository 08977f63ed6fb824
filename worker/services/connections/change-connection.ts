import { findConnection } from "../../store/connections.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import type { AuditEntry } from "../audit/record.ts";
import { recordIfChanged } from "../audit/record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { ProblemError } from "../problem.ts";
import { reviewJobs } from "./review-jobs.ts";

const MAX_ATTEMPTS = 5;

export interface ConnectionChange {
  /** The conditional statement; the audit entry stands or falls with it. */
  write: Statement;
  /** What is written along with it. */
  also?: readonly Statement[];
  audit: Pick<AuditEntry, "actor" | "verb" | "detail">;
}

/**
 * Changes a connection by a conditional write. `decide` sees the row and says what to write; null writes nothing. It
 * is asked again when somebody else was first. Pool reads connections anew at every assignment (specification,
 * "Connection management rules"); it is told so that what waits and no agent asks for is looked at, too. Only a row of an
 * expected revision changes.
 */
export async function changeConnection(
  deps: Deps,
  id: string,
  decide: (row: ConnectionRow) => ConnectionChange | null | Promise<ConnectionChange | null>,
  expected: ExpectedRevisions = null,
): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const row = await findConnection(deps.db, id);
    if (row === null) throw notFound("connection", id);
    requireRevision(expected, row.revision);
    const change = await decide(row);
    if (change === null) return;
    const audit = recordIfChanged(deps, { ...change.audit, subjectType: "connection", subjectId: id });
    try {
      await writeBatch(deps.db, [change.write, audit, ...(change.also ?? [])]);
    } catch (error) {
      if (!isConflict(error)) throw error;
      continue;
    }
    return reviewJobs(deps, row);
  }
  throw new ProblemError("conflict", "This connection is being changed by others at the same moment. Try again.");
}
