import { z } from "zod";
import { connectionTypeSchema } from "./connection.ts";
import { workflowInputSchema } from "./management.ts";
import { fieldErrorSchema } from "./problem.ts";

/**
 * A workflow as a file, for version control and for moving it between deployments: the fields of the API, in YAML. It
 * has no secret, and only its ids belong to one deployment; `connections`, `workflows` and `limits` translate them.
 */
export const WORKFLOW_FILE_API_VERSION = "bellhop/v1";
export const WORKFLOW_FILE_KIND = "Workflow";
/** The JSON Schema of such a file, for editors; public. */
export const WORKFLOW_FILE_SCHEMA_PATH = "/api/v1/schemas/workflow.json";
export const WORKFLOW_FILE_MAX_BYTES = 1_024 * 1_024;
/** Limit of nested maps and lists: the same as for a JSON body of the API. */
export const WORKFLOW_FILE_MAX_DEPTH = 64;
/** YAML has several media types in use; RFC 9512 registered the first one here. */
export const WORKFLOW_FILE_CONTENT_TYPES = [
  "application/yaml",
  "application/x-yaml",
  "text/yaml",
  "text/x-yaml",
  "application/json",
] as const;

const key = z.string().min(1).max(64);

/**
 * `connections` names each `connectionId` of the definition for another deployment. An id that exists here is used
 * unchanged; any other key is looked up by its name and type. A key may therefore also be a chosen word: `connectionId:
 * web` with `connections: {web: {name: Web server, type: ssh}}`. `workflows` does the same for nodes of type workflow,
 * and `limits` for the groups of the definition's limits, by name.
 */
export const workflowFileSchema = z.strictObject({
  apiVersion: z.literal(WORKFLOW_FILE_API_VERSION),
  kind: z.literal(WORKFLOW_FILE_KIND),
  ...workflowInputSchema.shape,
  connections: z
    .record(key, z.strictObject({ name: z.string().min(1).max(200), type: connectionTypeSchema }))
    .optional(),
  workflows: z.record(key, z.strictObject({ name: z.string().min(1).max(200) })).optional(),
  limits: z.record(key, z.strictObject({ name: z.string().min(1).max(200) })).optional(),
});
export type WorkflowFile = z.infer<typeof workflowFileSchema>;

/** The fields of the file that do not belong to the workflow itself. */
export const workflowFileHeadSchema = workflowFileSchema.pick({
  apiVersion: true,
  kind: true,
  connections: true,
  workflows: true,
  limits: true,
});
export type WorkflowFileHead = z.infer<typeof workflowFileHeadSchema>;

export const importQuerySchema = z.object({
  /** The workflow whose draft the file replaces; without it, a new one is created. */
  workflowId: z.string().min(1).max(64).optional(),
  /** `true` checks and saves nothing. */
  dryRun: z.enum(["true", "false"]).default("false"),
});

/** The answer to an import with `dryRun=true`. */
export const importCheckSchema = z.object({
  valid: z.boolean(),
  action: z.enum(["create", "replace"]),
  errors: z.array(fieldErrorSchema),
  /** The workflow in the form to be saved, with the ids of this deployment; only when it is valid. */
  workflow: workflowInputSchema.optional(),
});
export type ImportCheck = z.infer<typeof importCheckSchema>;
