import { draftOf } from "../../../schema/contract/draft.ts";
import { workflowInputSchema } from "../../../schema/contract/management.ts";
import type { WorkflowInput } from "../../../schema/contract/management.ts";
import { WORKFLOW_FILE_SCHEMA_PATH } from "../../../schema/contract/workflow-file.ts";
import { fileOf } from "../../domain/workflow-file/file-of.ts";
import type { Names } from "../../domain/workflow-file/file-of.ts";
import { referencesOf } from "../../domain/workflow-file/references.ts";
import type { ReferenceField } from "../../domain/workflow-file/references.ts";
import { writeYaml } from "../../domain/workflow-file/write-yaml.ts";
import { findLimitGroupsNamed } from "../../store/limit-groups.ts";
import { findConnectionsNamed, findWorkflowsNamed } from "../../store/workflow-references.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";

export interface ExportedWorkflow {
  /** YAML; the same draft gives the same bytes. */
  text: string;
  /** Plain ASCII, without characters that are special in a header or a shell. */
  fileName: string;
}

/**
 * The draft as a file. `origin` is this deployment's address, where editors find the file's JSON Schema. The file has
 * nothing of the webhook key, and only the name and type of a connection.
 */
export async function exportWorkflow(deps: Deps, id: string, origin: string): Promise<ExportedWorkflow> {
  const row = await findWorkflow(deps.db, id);
  if (row === null) throw notFound("workflow", id);
  const draft = inContractOrder(draftOf(row));
  const file = fileOf(draft, await namesFor(deps, draft));
  return {
    text: writeYaml(file, `yaml-language-server: $schema=${origin}${WORKFLOW_FILE_SCHEMA_PATH}`),
    fileName: `${slugOf(row.name) || row.id}.workflow.yaml`,
  };
}

/** Drafts of an older form are exported as they were stored. */
function inContractOrder(draft: WorkflowInput): WorkflowInput {
  return workflowInputSchema.safeParse(draft).data ?? draft;
}

async function namesFor(deps: Deps, { definition }: WorkflowInput): Promise<Names> {
  const references = referencesOf(definition);
  const idsOf = (field: ReferenceField) => [
    ...new Set(references.filter((one) => one.field === field).map(({ id }) => id)),
  ];
  const [connections, workflows, limits] = await Promise.all([
    findConnectionsNamed(deps.db, idsOf("connectionId"), []),
    findWorkflowsNamed(deps.db, idsOf("workflowId"), []),
    findLimitGroupsNamed(deps.db, idsOf("groupId"), []),
  ]);
  return { connections, workflows, limits };
}

function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 60);
}
