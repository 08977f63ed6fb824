import { workflowInputSchema } from "../../../schema/contract/management.ts";
import {
  WORKFLOW_FILE_API_VERSION,
  WORKFLOW_FILE_KIND,
  WORKFLOW_FILE_SCHEMA_PATH,
} from "../../../schema/contract/workflow-file.ts";
import { jsonObjectSchema } from "../../../schema/contract/json.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { referencesOf } from "../../domain/workflow-file/references.ts";
import { writeYaml } from "../../domain/workflow-file/write-yaml.ts";
import { findConnectionsNamed, findWorkflowsNamed } from "../../store/workflow-references.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";

export interface ExportedWorkflow {
  /** YAML; the same draft gives the same bytes. */
  text: string;
  /** Plain ASCII, without anything that a header or a shell would take apart. */
  fileName: string;
}

/**
 * The draft as a file. `origin` is where this deployment answers: editors find the file's JSON Schema there. Nothing of
 * the webhook key is in it, and of a connection its name and type alone.
 */
export async function exportWorkflow(deps: Deps, id: string, origin: string): Promise<ExportedWorkflow> {
  const row = await findWorkflow(deps.db, id);
  if (row === null) throw notFound("workflow", id);
  const file = {
    apiVersion: WORKFLOW_FILE_API_VERSION,
    kind: WORKFLOW_FILE_KIND,
    ...draftOf(row),
    ...(await namesFor(deps, row)),
  };
  return {
    text: writeYaml(file, `yaml-language-server: $schema=${origin}${WORKFLOW_FILE_SCHEMA_PATH}`),
    fileName: `${slugOf(row.name) || row.id}.workflow.yaml`,
  };
}

/** The fields in the contract's order, whatever order they were stored in; an older form as it is. */
function draftOf({ name, description, trigger, definition }: WorkflowRow): JsonObject {
  const draft = { name, ...(description === null ? {} : { description }), trigger, definition };
  return jsonObjectSchema.parse(JSON.parse(JSON.stringify(workflowInputSchema.safeParse(draft).data ?? draft)));
}

async function namesFor(deps: Deps, { definition }: WorkflowRow): Promise<JsonObject> {
  const references = referencesOf(definition);
  const idsOf = (field: string) =>
    [...new Set(references.filter((one) => one.field === field).map(({ id }) => id))].sort();
  const [connections, workflows] = await Promise.all([
    findConnectionsNamed(deps.db, idsOf("connectionId"), []),
    findWorkflowsNamed(deps.db, idsOf("workflowId"), []),
  ]);
  const byId = <T extends { id: string }>(found: readonly T[], show: (one: T) => JsonObject): JsonObject =>
    Object.fromEntries(found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((one) => [one.id, show(one)]));
  return {
    ...(connections.length === 0 ? {} : { connections: byId(connections, ({ name, type }) => ({ name, type })) }),
    ...(workflows.length === 0 ? {} : { workflows: byId(workflows, ({ name }) => ({ name })) }),
  };
}

function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 60);
}
