import { and, eq, isNotNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Trigger, TriggerType } from "../../schema/contract/workflow.ts";
import { workflowVersions, workflows } from "../../schema/tables/index.ts";
import { startsAfter } from "../domain/failed-execution.ts";
import type { Database } from "./database.ts";

/** A workflow that an event of the service may start, with the trigger of its published version. */
export interface EventWorkflow {
  workflowId: string;
  versionId: string;
  trigger: Trigger;
  /** When a version with a trigger of this type was first published (epoch ms). */
  publishedSince: number;
}

/** Published and active workflows with a trigger of this type. The draft's trigger does not count. */
export function findEventWorkflows(
  db: Database,
  type: Extract<TriggerType, "incident" | "failure">,
): Promise<EventWorkflow[]> {
  const earlier = alias(workflowVersions, "earlier");
  return db
    .select({
      workflowId: workflows.id,
      versionId: workflowVersions.id,
      trigger: workflowVersions.trigger,
      publishedSince: sql<number>`min(${earlier.publishedAt})`,
    })
    .from(workflows)
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.publishedVersionId))
    .innerJoin(
      earlier,
      and(eq(earlier.workflowId, workflows.id), sql`json_extract(${earlier.trigger}, '$.type') = ${type}`),
    )
    .where(
      and(
        eq(workflows.publishedTriggerType, type),
        eq(workflows.active, true),
        isNotNull(workflows.publishedVersionId),
      ),
    )
    .groupBy(workflows.id);
}

/** The failure workflows that a failed run of a workflow with these tags starts. */
export async function findFailureWorkflows(
  db: Database,
  { id, tags }: { id: string; tags: readonly string[] },
): Promise<EventWorkflow[]> {
  const all = await findEventWorkflows(db, "failure");
  return all.filter(({ workflowId, trigger }) => workflowId !== id && startsAfter(trigger, tags));
}
