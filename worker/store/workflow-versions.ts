import { eq, inArray } from "drizzle-orm";
import type { Definition, Trigger } from "../../schema/contract/workflow.ts";
import { workflowVersions, workflows } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export async function findVersionDefinition(db: Database, versionId: string): Promise<Definition | null> {
  const row = await db
    .select({ definition: workflowVersions.definition })
    .from(workflowVersions)
    .where(eq(workflowVersions.id, versionId))
    .get();
  return row?.definition ?? null;
}

export interface PublishedVersion {
  workflowId: string;
  versionId: string;
  trigger: Trigger;
}

/** The published versions of these workflows; those that are not published are left out. */
export function findPublishedVersions(db: Database, workflowIds: readonly string[]): Promise<PublishedVersion[]> {
  return db
    .select({ workflowId: workflows.id, versionId: workflowVersions.id, trigger: workflowVersions.trigger })
    .from(workflows)
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.publishedVersionId))
    .where(inArray(workflows.id, [...workflowIds]));
}

/** What runs of a workflow when somebody starts it; nulls when it is not published. Null when there is no workflow. */
export async function findRunnable(
  db: Database,
  workflowId: string,
): Promise<{ versionId: string | null; trigger: Trigger | null } | null> {
  const row = await db
    .select({ versionId: workflowVersions.id, trigger: workflowVersions.trigger })
    .from(workflows)
    .leftJoin(workflowVersions, eq(workflowVersions.id, workflows.publishedVersionId))
    .where(eq(workflows.id, workflowId))
    .get();
  return row ?? null;
}
