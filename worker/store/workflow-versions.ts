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
