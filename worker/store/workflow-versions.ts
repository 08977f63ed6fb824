import { eq } from "drizzle-orm";
import type { Definition } from "../../schema/contract/workflow.ts";
import { workflowVersions } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export async function findVersionDefinition(db: Database, versionId: string): Promise<Definition | null> {
  const row = await db
    .select({ definition: workflowVersions.definition })
    .from(workflowVersions)
    .where(eq(workflowVersions.id, versionId))
    .get();
  return row?.definition ?? null;
}
