import { z } from "zod";
import { workflowSchema } from "../management.ts";
import type { Operation } from "../operation.ts";
import {
  WORKFLOW_FILE_SCHEMA_PATH,
  importCheckSchema,
  importQuerySchema,
  workflowFileSchema,
} from "../workflow-file.ts";

const tag = "Workflows";

export const exportWorkflow = {
  id: "exportWorkflow",
  method: "GET",
  path: "/api/v1/automation/workflows/{id}/export",
  tag,
  summary: "Export a workflow as a file",
  description:
    "The draft in YAML. The same draft gives the same bytes, and importing them gives the same draft. Connections and workflows that it uses are told by name, too, so that the file can move to another deployment. No secret is in it.",
  access: "automation:read",
  answer: { kind: "raw", status: 200, contentType: "application/yaml" },
  errors: ["not_found"],
} as const satisfies Operation;

export const importWorkflow = {
  id: "importWorkflow",
  method: "POST",
  path: "/api/v1/automation/workflows/import",
  tag,
  summary: "Import a workflow from a file",
  description:
    "YAML or JSON. Creates a draft (201), or replaces the draft of `workflowId` (200). With `dryRun=true` nothing is saved, and the answer (200) says what would be. A connection that has no such id here is found by its name and type, a workflow by its name. Every problem is listed with its path, its line and its column. A new or changed node that runs code needs the permission `code:write` too.",
  access: "automation:write",
  headers: [
    {
      name: "If-Match",
      description: "With `workflowId`: its draft is replaced only in the state whose `ETag` is named here.",
    },
  ],
  query: importQuerySchema,
  body: workflowFileSchema,
  bodyType: "application/yaml",
  answer: { kind: "data", status: 201, data: z.union([workflowSchema, importCheckSchema]), alsoStatus: 200 },
  errors: ["too_complex", "not_found", "conflict", "precondition_failed"],
  idempotent: true,
  creates: "workflow",
} as const satisfies Operation;

export const getWorkflowFileSchema = {
  id: "getWorkflowFileSchema",
  method: "GET",
  path: WORKFLOW_FILE_SCHEMA_PATH,
  tag,
  summary: "The JSON Schema of workflow files",
  description: "Exported files name it in their first line, so that editors complete and check them.",
  access: "public",
  answer: { kind: "raw", status: 200, contentType: "application/schema+json" },
} as const satisfies Operation;
