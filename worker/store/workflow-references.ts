import { asc, eq, inArray, or } from "drizzle-orm";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { connections, workflows } from "../../schema/tables/index.ts";
import type { ConnectionRow } from "../../schema/tables/index.ts";
import type { Database } from "./database.ts";

export interface NamedConnection {
  id: string;
  name: string;
  type: ConnectionType;
}

export interface NamedWorkflow {
  id: string;
  name: string;
}

/** The connections with one of these ids or one of these names. */
export async function findConnectionsNamed(
  db: Database,
  ids: readonly string[],
  names: readonly string[],
): Promise<NamedConnection[]> {
  if (ids.length === 0 && names.length === 0) return [];
  return db
    .select({ id: connections.id, name: connections.name, type: connections.type })
    .from(connections)
    .where(or(inArray(connections.id, [...ids]), inArray(connections.name, [...names])));
}

/** The workflows with one of these ids or one of these names. */
export async function findWorkflowsNamed(
  db: Database,
  ids: readonly string[],
  names: readonly string[],
): Promise<NamedWorkflow[]> {
  if (ids.length === 0 && names.length === 0) return [];
  return db
    .select({ id: workflows.id, name: workflows.name })
    .from(workflows)
    .where(or(inArray(workflows.id, [...ids]), inArray(workflows.name, [...names])));
}

/** Whole connections, in no particular order. */
export function findConnectionsById(db: Database, ids: readonly string[]): Promise<ConnectionRow[]> {
  return db
    .select()
    .from(connections)
    .where(inArray(connections.id, [...ids]));
}

/** Those of these workflows that exist, and whether each is published. */
export async function findWorkflowStates(
  db: Database,
  ids: readonly string[],
): Promise<(NamedWorkflow & { published: boolean })[]> {
  const rows = await db
    .select({ id: workflows.id, name: workflows.name, versionId: workflows.publishedVersionId })
    .from(workflows)
    .where(inArray(workflows.id, [...ids]));
  return rows.map(({ id, name, versionId }) => ({ id, name, published: versionId !== null }));
}

/** Names of connections of a type, for messages that list them. */
export async function connectionNamesOfType(db: Database, type: ConnectionType, limit: number): Promise<string[]> {
  const rows = await db
    .selectDistinct({ name: connections.name })
    .from(connections)
    .where(eq(connections.type, type))
    .orderBy(asc(connections.name))
    .limit(limit);
  return rows.map(({ name }) => name);
}

export async function workflowNames(db: Database, limit: number): Promise<string[]> {
  const rows = await db
    .selectDistinct({ name: workflows.name })
    .from(workflows)
    .orderBy(asc(workflows.name))
    .limit(limit);
  return rows.map(({ name }) => name);
}
