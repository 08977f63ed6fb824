import { and, desc, eq, gt, inArray, lt, ne, sql } from "drizzle-orm";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { workflowVersions, workflows } from "../../schema/tables/index.ts";
import type { WorkflowRow, WorkflowVersionRow } from "../../schema/tables/index.ts";
import { readRows } from "./database.ts";
import type { Database, Statement } from "./database.ts";

export type { WorkflowRow, WorkflowVersionRow };

/** The columns that people change. */
export type WorkflowChanges = Partial<
  Omit<WorkflowRow, "id" | "revision" | "gateEpoch" | "gatePushedEpoch" | "createdAt" | "updatedAt">
>;

/** A row as it was read. An update matches no row when the row has changed since. */
export interface SeenWorkflow {
  id: string;
  revision: number;
  gateEpoch: number;
}

export async function findWorkflow(db: Database, id: string): Promise<WorkflowRow | null> {
  return (await db.select().from(workflows).where(eq(workflows.id, id)).get()) ?? null;
}

export function findWorkflowNames(db: Database, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  return db
    .select({ id: workflows.id, name: workflows.name })
    .from(workflows)
    .where(inArray(workflows.id, [...ids]));
}

/** Those of these tags that workflows have. */
export async function tagsInUse(db: Database, tags: readonly string[]): Promise<string[]> {
  const [rows = []] = await readRows(db, [
    sql`select distinct tag.value as tag from ${workflows}, json_each(${workflows.tags}) tag
      where tag.value in (select value from json_each(${JSON.stringify(tags)}))`,
  ]);
  return rows.map(({ tag }) => String(tag));
}

/** Newest first, up to `limit`; with a tag, only workflows that have it; with ids, only these. */
export function listWorkflows(
  db: Database,
  of: { beforeId: string | null; limit: number; tag: string | null; ids: readonly string[] | null },
): Promise<WorkflowRow[]> {
  const { beforeId, limit, tag, ids } = of;
  const before = beforeId === null ? undefined : lt(workflows.id, beforeId);
  const tagged = tag === null ? undefined : sql`${tag} in (select value from json_each(${workflows.tags}))`;
  const named = ids === null ? undefined : inArray(workflows.id, [...ids]);
  return db
    .select()
    .from(workflows)
    .where(and(before, tagged, named))
    .orderBy(desc(workflows.id))
    .limit(limit);
}

export function insertWorkflow(db: Database, row: typeof workflows.$inferInsert): Statement {
  return db.insert(workflows).values(row);
}

/** A conditional update. */
export function updateWorkflow(
  db: Database,
  seen: SeenWorkflow,
  changes: WorkflowChanges & Pick<WorkflowRow, "gateEpoch" | "gatePushedEpoch" | "updatedAt">,
): Statement {
  return db
    .update(workflows)
    .set({ ...changes, revision: seen.revision + 1 })
    .where(unchanged(seen));
}

export function deleteWorkflowRow(db: Database, seen: SeenWorkflow): Statement {
  return db.delete(workflows).where(unchanged(seen));
}

/** Reserves a gate epoch for one writer. False when the row has changed since it was read. */
export async function reserveGateEpoch(db: Database, seen: SeenWorkflow, gateEpoch: number): Promise<boolean> {
  const rows = await db.update(workflows).set({ gateEpoch }).where(unchanged(seen)).returning({ id: workflows.id });
  return rows.length > 0;
}

/** Records that the workflow's gate has this epoch. Does nothing when the row has a newer one. */
export async function markGatePushed(db: Database, id: string, gateEpoch: number): Promise<void> {
  await db
    .update(workflows)
    .set({ gatePushedEpoch: gateEpoch })
    .where(and(eq(workflows.id, id), eq(workflows.gateEpoch, gateEpoch)));
}

/** Workflows whose gate may have older settings. */
export function workflowsWithGateBehind(db: Database, limit: number): Promise<WorkflowRow[]> {
  return db.select().from(workflows).where(ne(workflows.gatePushedEpoch, workflows.gateEpoch)).limit(limit);
}

export function insertVersion(db: Database, row: WorkflowVersionRow): Statement {
  return db.insert(workflowVersions).values(row);
}

export async function findLatestVersion(db: Database, workflowId: string): Promise<WorkflowVersionRow | null> {
  const row = await db
    .select()
    .from(workflowVersions)
    .where(eq(workflowVersions.workflowId, workflowId))
    .orderBy(desc(workflowVersions.number))
    .limit(1)
    .get();
  return row ?? null;
}

/** A version of this workflow. */
export async function findVersionOf(db: Database, workflowId: string, id: string): Promise<WorkflowVersionRow | null> {
  const row = await db
    .select()
    .from(workflowVersions)
    .where(and(eq(workflowVersions.id, id), eq(workflowVersions.workflowId, workflowId)))
    .get();
  return row ?? null;
}

/** Who changed what became the versions after this one. */
export async function changersSince(db: Database, { workflowId, number }: WorkflowVersionRow): Promise<string[]> {
  const rows = await db
    .select({ changedBy: workflowVersions.changedBy })
    .from(workflowVersions)
    .where(and(eq(workflowVersions.workflowId, workflowId), gt(workflowVersions.number, number)));
  return [...new Set(rows.flatMap(({ changedBy }) => changedBy))];
}

/** Newest first, up to `limit`. */
export function listVersions(
  db: Database,
  workflowId: string,
  page: { beforeId: string | null; limit: number },
): Promise<WorkflowVersionRow[]> {
  const before = page.beforeId === null ? undefined : lt(workflowVersions.id, page.beforeId);
  return db
    .select()
    .from(workflowVersions)
    .where(and(eq(workflowVersions.workflowId, workflowId), before))
    .orderBy(desc(workflowVersions.id))
    .limit(page.limit);
}

/** The trigger of a version. */
export async function findVersionTrigger(db: Database, versionId: string): Promise<Trigger | null> {
  const row = await db
    .select({ trigger: workflowVersions.trigger })
    .from(workflowVersions)
    .where(eq(workflowVersions.id, versionId))
    .get();
  return row?.trigger ?? null;
}

function unchanged(seen: SeenWorkflow) {
  return and(eq(workflows.id, seen.id), eq(workflows.revision, seen.revision), eq(workflows.gateEpoch, seen.gateEpoch));
}
