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
    "The draft in YAML. The same draft gives the same bytes, and importing them gives the same draft. The file also has the names of its connections and workflows, so that it can move to another deployment. It contains no secret.",
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
    "YAML or JSON. Creates a draft (201), or replaces the draft of `workflowId` (200). With `dryRun=true` nothing is saved, and the answer (200) shows the result. A connection whose id does not exist here is found by its name and type, a workflow by its name. Every problem is listed with its path, line and column. A new or changed node that runs code also needs the permission `code:write`.",
  access: "automation:write",
  headers: [
    {
      name: "If-Match",
      description: "With `workflowId`: replaces its draft only if the draft still has this `ETag`.",
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
  description: "Exported files refer to it in their first line, so that editors complete and check them.",
  access: "public",
  answer: { kind: "raw", status: 200, contentType: "application/schema+json" },
} as const satisfies Operation;
