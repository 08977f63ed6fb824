import { and, eq, gte, ne, notExists, sql } from "drizzle-orm";
import { AUTO_DISABLE_AFTER_FAILURES } from "../../schema/limits.ts";
import { auditLog, workflows } from "../../schema/tables/index.ts";
import { auditIdOfEnd, autoDisableReason, earliestAuditId, scheduleOutcome } from "../domain/auto-disable.ts";
import type { ExecutionState } from "../domain/execution-state.ts";
import type { Database, Statement } from "./database.ts";

/** Who switched a schedule off when nobody did. */
const SYSTEM = "system";

/**
 * What the end of an execution changes beside itself, for the batch that ends it: the count of a schedule's consecutive
 * failures, and the auto-disable that the fifth brings (docs/design/workflows.md#auto-disable). Two statements for a
 * failed scheduled run, one for one that succeeded, none for any other.
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
      // Somebody who has read the workflow as active, and changes it, must look again.
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
      // It stands right behind the update, and is written only when that switched the schedule off.
      .where(and(eq(workflows.id, ended.workflowId), eq(workflows.active, false), sql`changes() > 0`)),
  );
  return [count, audit];
}

/**
 * Whether this end says something of the schedule as it is now: it is still a schedule that is active, and nobody has
 * activated it since the execution began. What began before speaks of what has been mended since. Every activation is
 * in the audit log, written in its own batch, so the log is asked: only its entries since the execution began are read.
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
    // What an older version did says nothing about the one that was mended.
    eq(workflows.publishedVersionId, versionId),
    eq(workflows.active, true),
    notExists(activatedSince),
  );
}
