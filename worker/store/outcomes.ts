import { and, eq, gte, ne, notExists, sql } from "drizzle-orm";
import { AUTO_DISABLE_AFTER_FAILURES } from "../../schema/limits.ts";
import { auditLog, workflows } from "../../schema/tables/index.ts";
import { auditIdOfEnd, autoDisableReason, earliestAuditId, scheduleOutcome } from "../domain/auto-disable.ts";
import type { ExecutionState } from "../domain/execution-state.ts";
import type { Database, Statement } from "./database.ts";

/** The actor of an automatic deactivation. */
const SYSTEM = "system";

/**
 * The further changes when an execution ends, for the same batch: a schedule's count of consecutive failures, and the
 * auto-disable at the fifth (docs/design/workflows.md#auto-disable). Two statements for a failed scheduled run, one for
 * a successful one, none for any other.
 */
export function outcomeStatements(db: Database, ended: ExecutionState, retryOf: string | null): Statement[] {
  switch (scheduleOutcome(ended, retryOf)) {
    case "doesNotCount":
      return [];
    case "succeeded":
      return [
        db
          .update(workflows)
          .set({ consecutiveFailures: 0 })
          .where(and(stillCounts(db, ended), ne(workflows.consecutiveFailures, 0))),
      ];
    case "failed":
      return failureStatements(db, ended);
  }
}

function failureStatements(db: Database, ended: ExecutionState): Statement[] {
  const at = ended.finishedAt ?? ended.startedAt;
  const isLast = sql`${workflows.consecutiveFailures} + 1 >= ${AUTO_DISABLE_AFTER_FAILURES}`;
  const count = db
    .update(workflows)
    .set({
      consecutiveFailures: sql`${workflows.consecutiveFailures} + 1`,
      active: sql`not (${isLast})`,
      autoDisabledAt: sql`case when ${isLast} then ${at} end`,
      autoDisableReason: sql`case when ${isLast} then ${autoDisableReason(ended.error)} end`,
      nextRunAt: sql`case when ${isLast} then null else ${workflows.nextRunAt} end`,
      // A person who read the workflow as active must read it again before an edit.
      revision: sql`${workflows.revision} + (${isLast})`,
      updatedAt: sql`case when ${isLast} then ${at} else ${workflows.updatedAt} end`,
    })
    .where(stillCounts(db, ended));
  const audit = db.insert(auditLog).select(
    db
      .select({
        id: sql<string>`${auditIdOfEnd(ended.id, at)}`.as("id"),
        at: sql<number>`${at}`.as("at"),
        actor: sql<string>`${SYSTEM}`.as("actor"),
        verb: sql<string>`'auto-disable'`.as("verb"),
        subjectType: sql<string>`'workflow'`.as("subject_type"),
        subjectId: workflows.id,
        detail: sql<string>`json_object('name', ${workflows.name}, 'executionId', ${ended.id})`.as("detail"),
      })
      .from(workflows)
      // Right behind the update: written only when that deactivated the schedule.
      .where(and(eq(workflows.id, ended.workflowId), eq(workflows.active, false), sql`changes() > 0`)),
  );
  return [count, audit];
}

/**
 * Whether this end counts for the present schedule: it is active, and was not activated again since the execution
 * began. The audit log has every activation, in the batch of the activation. Only entries since the execution's start
 * are read.
 */
function stillCounts(db: Database, { workflowId, versionId, startedAt }: ExecutionState) {
  const activatedSince = db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      and(
        eq(auditLog.subjectType, "workflow"),
        eq(auditLog.subjectId, workflowId),
        gte(auditLog.id, earliestAuditId(startedAt)),
        eq(auditLog.verb, "activate"),
        sql`${auditLog.at} > ${startedAt}`,
      ),
    );
  return and(
    eq(workflows.id, workflowId),
    eq(workflows.publishedTriggerType, "cron"),
    // A failure of an older version says nothing about the fixed one.
    eq(workflows.publishedVersionId, versionId),
    eq(workflows.active, true),
    notExists(activatedSince),
  );
}
