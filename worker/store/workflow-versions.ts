import { and, asc, eq, inArray, ne, or, sql } from "drizzle-orm";
import type { Definition, Trigger } from "../../schema/contract/workflow.ts";
import { workflowVersions, workflows } from "../../schema/tables/index.ts";
import { readRows } from "./database.ts";
import type { Database } from "./database.ts";

export interface RunnableVersion {
  definition: Definition;
  trigger: Trigger;
  publishedByPerson: string | null;
}

export async function findVersion(db: Database, versionId: string): Promise<RunnableVersion | null> {
  const { definition, trigger, publishedByPerson } = workflowVersions;
  const row = await db
    .select({ definition, trigger, publishedByPerson })
    .from(workflowVersions)
    .where(eq(workflowVersions.id, versionId))
    .get();
  return row ?? null;
}

export interface PublishedVersion {
  workflowId: string;
  versionId: string;
  trigger: Trigger;
}

/** The published versions of these workflows. Unpublished workflows are left out. */
export function findPublishedVersions(db: Database, workflowIds: readonly string[]): Promise<PublishedVersion[]> {
  return db
    .select({ workflowId: workflows.id, versionId: workflowVersions.id, trigger: workflowVersions.trigger })
    .from(workflows)
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.publishedVersionId))
    .where(inArray(workflows.id, [...workflowIds]));
}

/**
 * The version that runs when a person starts the workflow, with nulls when it is not published. Null when there is no
 * such workflow.
 */
export async function findRunnable(
  db: Database,
  workflowId: string,
): Promise<{ name: string; versionId: string | null; trigger: Trigger | null } | null> {
  const row = await db
    .select({ name: workflows.name, versionId: workflowVersions.id, trigger: workflowVersions.trigger })
    .from(workflows)
    .leftJoin(workflowVersions, eq(workflowVersions.id, workflows.publishedVersionId))
    .where(eq(workflows.id, workflowId))
    .get();
  return row ?? null;
}

/**
 * The people who changed one of these versions, or one before it, since the last version that another person published.
 * A version with an unknown publisher, or with `noPerson`, does not count as published by another person.
 */
export async function findChangers(db: Database, versionIds: readonly string[], noPerson: string): Promise<string[]> {
  const [rows = []] = await readRows(db, [
    sql`
    with changes as (
      select n.workflow_id, n.number as upto, changed.value as person, max(v.number) as last
      from workflow_versions n
      join workflow_versions v on v.workflow_id = n.workflow_id and v.number <= n.number
      join json_each(v.changed_by) changed
      where n.id in (select value from json_each(${JSON.stringify(versionIds)}))
      group by n.id, changed.value
    )
    select distinct person from changes where not exists (
      select 1 from workflow_versions k
      where k.workflow_id = changes.workflow_id and k.number between changes.last and changes.upto
        and k.published_by_person not in (changes.person, ${noPerson})
    )
    order by person`,
  ]);
  return rows.map(({ person }) => String(person));
}

/** The fields that name each of them. Stored definitions are JSON without blanks, with quotes in texts escaped. */
const FIELDS = { connection: ["connectionId", "secretsFrom"], workflow: ["workflowId"], limit: ["groupId"] } as const;

/** The other workflows whose published version names a connection or a workflow, by name. No index helps. */
export function findPublishedUsers(
  db: Database,
  kind: keyof typeof FIELDS,
  id: string,
): Promise<{ id: string; name: string }[]> {
  const mentions = FIELDS[kind].map((field) => `"${field}":${JSON.stringify(id)}`);
  const names = mentions.map((mention) => sql`instr(${workflowVersions.definition}, ${mention}) > 0`);
  return db
    .select({ id: workflows.id, name: workflows.name })
    .from(workflows)
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.publishedVersionId))
    .where(and(ne(workflows.id, id), or(...names)))
    .orderBy(asc(workflows.name), asc(workflows.id));
}
