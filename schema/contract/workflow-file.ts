import { z } from "zod";
import { connectionTypeSchema } from "./connection.ts";
import { workflowInputSchema } from "./management.ts";
import { fieldErrorSchema } from "./problem.ts";

/**
 * A workflow as a file, for version control and for moving it between deployments: the fields of the API, in YAML.
 * Nothing in it is secret, and nothing in it belongs to one deployment alone but ids, which `connections` and
 * `workflows` translate.
 */
export const WORKFLOW_FILE_API_VERSION = "bellhop/v1";
export const WORKFLOW_FILE_KIND = "Workflow";
/** The JSON Schema of such a file, for editors; public. */
export const WORKFLOW_FILE_SCHEMA_PATH = "/api/v1/schemas/workflow.json";
export const WORKFLOW_FILE_MAX_BYTES = 1_024 * 1_024;
/** Nested maps and lists: as deep as a JSON body of the API may be. */
export const WORKFLOW_FILE_MAX_DEPTH = 64;
/** YAML has no media type of one name: RFC 9512 registered the first. */
export const WORKFLOW_FILE_CONTENT_TYPES = [
  "application/yaml",
  "application/x-yaml",
  "text/yaml",
  "text/x-yaml",
  "application/json",
] as const;

const key = z.string().min(1).max(64);

/**
 * `connections` says what a `connectionId` of the definition is called where the file comes from. An id that exists
 * here is taken as it is; any other key is looked up by its name and type, so that a key may also be a word of one's
 * own: `connectionId: web` with `connections: {web: {name: Web server, type: ssh}}`. `workflows` does the same for
 * nodes of type workflow, by name.
 */
export const workflowFileSchema = z.strictObject({
  apiVersion: z.literal(WORKFLOW_FILE_API_VERSION),
  kind: z.literal(WORKFLOW_FILE_KIND),
  ...workflowInputSchema.shape,
  connections: z
    .record(key, z.strictObject({ name: z.string().min(1).max(200), type: connectionTypeSchema }))
    .optional(),
  workflows: z.record(key, z.strictObject({ name: z.string().min(1).max(200) })).optional(),
});
export type WorkflowFile = z.infer<typeof workflowFileSchema>;

/** What stands beside the workflow itself. */
export const workflowFileHeadSchema = workflowFileSchema.pick({
  apiVersion: true,
  kind: true,
  connections: true,
  workflows: true,
});
export type WorkflowFileHead = z.infer<typeof workflowFileHeadSchema>;

export const importQuerySchema = z.object({
  /** The workflow whose draft the file replaces; without it, a new one is created. */
  workflowId: z.string().min(1).max(64).optional(),
  /** `true` checks and saves nothing. */
  dryRun: z.enum(["true", "false"]).default("false"),
});

/** What an import with `dryRun=true` tells. */
export const importCheckSchema = z.object({
  valid: z.boolean(),
  action: z.enum(["create", "replace"]),
  errors: z.array(fieldErrorSchema),
  /** The workflow as it would be saved, with the ids of this deployment; only when it is valid. */
  workflow: workflowInputSchema.optional(),
});
export type ImportCheck = z.infer<typeof importCheckSchema>;
