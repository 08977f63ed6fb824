import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { withoutEmptyFields } from "../../../schema/contract/draft.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { WorkflowInput } from "../../../schema/contract/management.ts";
import { WORKFLOW_FILE_API_VERSION, WORKFLOW_FILE_KIND } from "../../../schema/contract/workflow-file.ts";
import { referencesOf } from "./references.ts";
import type { ReferenceField } from "./references.ts";

/** Connections, workflows and limits by whose names a file may refer to a definition's ids. */
export interface Names {
  connections: readonly { id: string; name: string; type: ConnectionType }[];
  workflows: readonly { id: string; name: string }[];
  limits: readonly { id: string; name: string }[];
}

/** A draft as a file, with the names that it uses, sorted by id. Exports and the designer write the same file. */
export function fileOf(draft: WorkflowInput, names: Names): JsonValue {
  const { nodes, edges, layout, ...others } = draft.definition;
  const references = referencesOf(draft.definition);
  const used = <T extends { id: string }, U>(field: ReferenceField, known: readonly T[], show: (one: T) => U) => {
    const ids = new Set(references.filter((one) => one.field === field).map(({ id }) => id));
    const named = known.filter(({ id }) => ids.has(id)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return named.length === 0 ? undefined : Object.fromEntries(named.map((one) => [one.id, show(one)]));
  };
  const file = {
    apiVersion: WORKFLOW_FILE_API_VERSION,
    kind: WORKFLOW_FILE_KIND,
    ...withoutEmptyFields(draft),
    definition: { nodes, edges, ...others, layout },
    connections: used("connectionId", names.connections, ({ name, type }) => ({ name, type })),
    workflows: used("workflowId", names.workflows, ({ name }) => ({ name })),
    limits: used("groupId", names.limits, ({ name }) => ({ name })),
  };
  // Removes undefined fields.
  const value: JsonValue = JSON.parse(JSON.stringify(file));
  return value;
}
