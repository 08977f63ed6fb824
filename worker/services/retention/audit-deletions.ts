import { RETENTION_AUDIT_EVERY_MS } from "../../../schema/limits.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { findKinds, findProgress, markAudited, saveAudited } from "../../store/retention.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";

/**
 * Gives the audit log the number of deleted rows of each kind since its last such entry: after the first pass that
 * deletes something, and then at most once a day, so that the log does not grow by what it records.
 */
export async function auditDeletions(deps: Deps): Promise<void> {
  const now = deps.now();
  const { auditedAt } = await findProgress(deps.db);
  if (auditedAt !== null && now - auditedAt < RETENTION_AUDIT_EVERY_MS) return;
  const fresh = (await findKinds(deps.db)).filter(({ deleted, audited }) => deleted > audited);
  if (fresh.length === 0) return;
  const detail = Object.fromEntries(fresh.map(({ kind, deleted, audited }) => [kind, deleted - audited]));
  try {
    await writeBatch(deps.db, [
      markAudited(deps.db, now, auditedAt),
      recordIfChanged(deps, {
        actor: "system",
        verb: "delete-old-records",
        subjectType: "records",
        subjectId: "all",
        detail,
      }),
      ...fresh.map(({ kind, deleted }) => saveAudited(deps.db, kind, deleted)),
    ]);
  } catch (error) {
    // Another pass was first.
    if (!isConflict(error)) throw error;
  }
}
