import { z } from "zod";
import { CONNECTION_TEST_WAIT_MS, HEARTBEAT_SCORE_POINTS, SUCCESS_SCORE_POINTS } from "../limits.ts";
import { ignoreMaintenanceSchema } from "./answer-execution.ts";
import { agentKeySchema, enrolmentCodeSchema, isolationSchema } from "./agent.ts";
import { anyConfigSchema, connectionTypeSchema } from "./connection.ts";
import { agentCredentialSchema, credentialStatusSchema, fingerprintVerifiedSchema } from "./credential.ts";
import { executionStatusSchema } from "./execution.ts";
import { poolIdSchema } from "./ids.ts";
import { jsonObjectSchema } from "./json.ts";
import { nameSchema } from "./name.ts";
import { fieldErrorSchema } from "./problem.ts";
import { limit } from "./query.ts";
import { formerExecutionPeriodsSchema, workflowRetentionSchema } from "./retention.ts";
import { usableBySchema } from "./usable-by.ts";
import { waitingCodeSchema } from "./waiting.ts";
import { workflowTagsSchema } from "./workflow-tags.ts";
import { NO_WEB_ADDRESS, isWebAddress } from "./web-address.ts";
import { draftDefinitionSchema, draftTriggerSchema } from "./workflow-draft.ts";
import { webhookViewSchema } from "./webhook-verification.ts";
import { definitionSchema, triggerSchema } from "./workflow.ts";

/** Requests and answers under `/api/v1/automation` (docs/design/http-api.md#operations). */
export const agentStatusSchema = z.enum(["Online", "Offline", "Degraded"]);
export type AgentStatus = z.infer<typeof agentStatusSchema>;

const name = nameSchema;
const description = z.string().max(2_000);

export const createAgentSchema = z.strictObject({
  name,
  description: description.nullish(),
  poolId: poolIdSchema.nullish(),
});
export const updateAgentSchema = z.strictObject({
  name: name.optional(),
  description: description.nullish(),
  poolId: poolIdSchema.nullish(),
});
export const registrationSchema = z.object({
  name: z.string(),
  version: z.string(),
  os: z.string(),
  arch: z.string(),
  capabilities: z.array(z.string()),
  /** Absent for agents that registered before the first feature. */
  features: z.array(z.string()).optional(),
  actions: z
    .array(z.string())
    .optional()
    .describe("The actions that it can run. Absent for older agents, which can run those of the first release."),
  /** How jobs are isolated from the agent, and why so; absent for older agents. */
  isolation: isolationSchema.optional(),
  isolationReason: z.string().optional(),
  maxConcurrentJobs: z.int(),
  pollIntervalSeconds: z.number(),
  /** RFC 7638, as the agent itself shows it. */
  fingerprint: z.string(),
  registeredAt: z.iso.datetime(),
});
export type Registration = z.infer<typeof registrationSchema>;
/** The two parts of a health score, which is their rounded sum. */
export const healthPartsSchema = z.object({
  heartbeatPoints: z.number().min(0).max(HEARTBEAT_SCORE_POINTS),
  successPoints: z.number().min(0).max(SUCCESS_SCORE_POINTS),
  finishedJobs: z.int().describe("Action jobs that ended within the last hour, without cancelled ones."),
  succeededJobs: z.int().describe("The number of them that succeeded."),
});
export type HealthParts = z.infer<typeof healthPartsSchema>;
export const agentSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  poolId: z.string().nullable(),
  status: agentStatusSchema,
  healthScore: z.int().min(0).max(100),
  health: healthPartsSchema.optional().describe("The parts of the score, if the agent's pool answers."),
  enabled: z.boolean(),
  draining: z.boolean().optional().describe("True while it shuts down: it finishes its jobs and gets no others."),
  rekeyed: z
    .boolean()
    .optional()
    .describe("True after its key was regenerated, until it calls with the new key. The former key is refused."),
  runningJobs: z.int().describe("The number of jobs that it holds."),
  runningJobIds: z.array(z.string()).optional().describe("Those jobs, in the answer about a single agent."),
  lastHeartbeatAt: z.iso.datetime().nullable(),
  registration: registrationSchema.nullable(),
  fingerprintVerified: fingerprintVerifiedSchema,
  /** Rises with every edit; the first part of the `ETag`. */
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type AgentView = z.infer<typeof agentSchema>;
export const agentKeyAnswerSchema = z.object({ apiKey: agentKeySchema });
export const enrolmentSchema = z.object({ code: enrolmentCodeSchema, expiresAt: z.iso.datetime() });
export const createdAgentSchema = agentKeyAnswerSchema.extend({ agent: agentSchema });
/** For objects that published workflows may name. */
export const deleteQuerySchema = z.object({
  force: z
    .enum(["true", "false"])
    .optional()
    .describe("`true` deletes it even if published workflows use it; their nodes that use it then fail."),
});
/** The answer about a deleted object. */
export const deletedSchema = z.object({ id: z.string() });

const usableByField = usableBySchema
  .nullish()
  .describe("Who may use the connection; null, the default, means everyone. Setting it needs `credentials:write`.");

/** The verb checks `config` against its type, so that every problem is reported with its path. */
export const createConnectionSchema = z
  .strictObject({
    name,
    type: connectionTypeSchema,
    config: anyConfigSchema.default({}),
    agentId: z.string().max(64).nullish(),
    poolId: poolIdSchema.nullish(),
    usableBy: usableByField,
  })
  .refine((input) => input.agentId == null || input.poolId == null, {
    path: ["poolId"],
    error: "give agentId or poolId, not both",
  });
export const updateConnectionSchema = z
  .strictObject({
    name: name.optional(),
    config: anyConfigSchema.optional(),
    agentId: z.string().max(64).nullish(),
    poolId: poolIdSchema.nullish(),
    usableBy: usableByField,
  })
  .refine((input) => input.agentId == null || input.poolId == null, {
    path: ["poolId"],
    error: "give agentId or poolId, not both",
  });
export const connectionSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: connectionTypeSchema,
  config: jsonObjectSchema,
  agentId: z.string().nullable(),
  poolId: z.string().nullable(),
  /** Null: every person with the permissions. */
  usableBy: usableBySchema.nullable(),
  enabled: z.boolean(),
  /** The worst of its agents' statuses; null when this connection needs no credential. */
  credentialStatus: credentialStatusSchema.nullable(),
  /** The state for each agent that must have the credential; empty when this connection needs none. */
  credentials: z.array(agentCredentialSchema),
  warnings: z.array(fieldErrorSchema).optional().describe("Possible mistakes, such as several SSH hosts without keys."),
  /** Rises with every edit; the first part of the `ETag`. */
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type ConnectionView = z.infer<typeof connectionSchema>;

export const connectionTestSchema = z.object({
  ok: z.boolean(),
  latencyMs: z.number(),
  testedAt: z.iso.datetime(),
  /** The agent that ran the test; absent when the service did, or when no agent could. */
  agentId: z.string().optional(),
  agentName: z.string().optional(),
  target: z.string().optional().describe("The host that was tested, on a connection with `targets`."),
  error: z.string().optional(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});
export const lastTestSchema = connectionTestSchema.extend({
  by: z.string().describe("Who tested, as in the audit log."),
  isBeforeChange: z.boolean().describe("Whether the connection or its credential was changed after the test."),
});
export type LastTest = z.infer<typeof lastTestSchema>;
export const lastTestAnswerSchema = z.object({
  lastTest: lastTestSchema.nullable().describe("Null when no test of the connection is known."),
});
export type LastTestAnswer = z.infer<typeof lastTestAnswerSchema>;
/** The test runs as a job; `waitingFor` says why the job has not begun, if known. */
export const laterTestSchema = z.object({ jobId: z.string(), waitingFor: z.string().nullable() });

export const testConnectionQuerySchema = z.object({
  target: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe("The host to test on a connection with `targets`; default: the first of them that is no pattern."),
  waitSeconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(CONNECTION_TEST_WAIT_MS / 1_000)
    .optional()
    .describe("How long to wait for the outcome before the answer names the job instead; default 30."),
});
export type ConnectionTest = z.infer<typeof connectionTestSchema>;

export const poolMemberSchema = z.object({
  agentId: z.string(),
  name: z.string(),
  status: agentStatusSchema,
  healthScore: z.int(),
  enabled: z.boolean(),
  draining: z.boolean().optional().describe("True while it shuts down."),
  runningJobs: z.int(),
  maxConcurrentJobs: z.int().nullable(),
  lastHeartbeatAt: z.iso.datetime().nullable(),
});
export const poolSchema = z.object({
  id: z.string(),
  members: z.array(poolMemberSchema),
  queueDepth: z.int(),
  waiting: z.array(
    z.object({ jobId: z.string(), queuedAt: z.iso.datetime(), code: waitingCodeSchema, reason: z.string() }),
  ),
});
export type PoolView = z.infer<typeof poolSchema>;

/** A pool in lists. */
export const poolSummarySchema = z.object({
  id: z.string(),
  /** 0 for a pool that connections name but that has no agent: its jobs wait. */
  agentCount: z.int().min(0),
});
export type PoolSummary = z.infer<typeof poolSummarySchema>;

export const workflowInputSchema = z.strictObject({
  name,
  description: description.nullish(),
  /** Instructions for people; the console links them when an execution fails. */
  runbookUrl: z.string().max(2_000).refine(isWebAddress, NO_WEB_ADDRESS).nullish(),
  tags: workflowTagsSchema
    .nullish()
    .describe("Words that group workflows, in lower case. A change applies without publishing."),
  retention: workflowRetentionSchema.nullish(),
  trigger: triggerSchema,
  definition: definitionSchema,
});
export type WorkflowInput = z.infer<typeof workflowInputSchema>;
/** The newest execution of a workflow, in lists of workflows. */
export const lastExecutionSchema = z.object({
  id: z.string(),
  status: executionStatusSchema,
  isWaiting: z.boolean().describe("Whether it or one of its steps waits, as in the list of executions."),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export type LastExecution = z.infer<typeof lastExecutionSchema>;
export const workflowSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  runbookUrl: z.string().nullable(),
  tags: z.array(z.string()),
  retention: workflowRetentionSchema.nullable(),
  retentionFormer: formerExecutionPeriodsSchema.nullable(),
  trigger: draftTriggerSchema,
  definition: draftDefinitionSchema,
  problems: z
    .array(fieldErrorSchema)
    .describe("The problems of the draft when it was last saved. It can be published when there are none."),
  published: z.boolean(),
  publishedVersionId: z.string().nullable(),
  active: z.boolean(),
  autoDisabledAt: z.iso.datetime().nullable(),
  autoDisableReason: z.string().nullable(),
  nextRunAt: z.iso.datetime().nullable(),
  webhookKey: z.string().nullable(),
  webhook: webhookViewSchema
    .nullable()
    .describe("How callers of its webhook are verified; null without a webhook key."),
  /** Null before the first one. An execution is no edit: it leaves the `ETag` for If-Match valid. */
  lastExecution: lastExecutionSchema.nullable(),
  /** In answers to a save and to publishing: possible mistakes. */
  warnings: z.array(fieldErrorSchema).optional(),
  /** Rises with every edit; the first part of the `ETag`. */
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type WorkflowView = z.infer<typeof workflowSchema>;
export const workflowVersionSchema = z.object({
  id: z.string(),
  workflowId: z.string(),
  number: z.int(),
  trigger: triggerSchema,
  definition: definitionSchema,
  publishedAt: z.iso.datetime(),
  publishedBy: z.string().describe("The person or the token, as in the audit log."),
  message: z.string().nullable().describe("The publisher's reason; null without one."),
});
export type WorkflowVersionView = z.infer<typeof workflowVersionSchema>;
export const executeWorkflowSchema = z.strictObject({
  variables: jsonObjectSchema.optional(),
  ignoreMaintenance: ignoreMaintenanceSchema,
});
export const cursor = z.string().min(1).max(512).optional().describe("`nextCursor` of the previous page.");
export const pageQuerySchema = z.object({ limit, cursor });
export type PageQuery = z.infer<typeof pageQuerySchema>;
