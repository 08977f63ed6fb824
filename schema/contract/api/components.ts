import type { z } from "zod";
import {
  heartbeatRequestSchema,
  jobResultSchema,
  jobSchema,
  leaseRefSchema,
  publicKeySchema,
  registerRequestSchema,
} from "../agent.ts";
import { conditionGroupSchema, conditionSchema } from "../condition.ts";
import { CONNECTION_CONFIGS, connectionTypeSchema } from "../connection.ts";
import { agentCredentialSchema, recipientSchema } from "../credential.ts";
import {
  executionSchema,
  executionStatusSchema,
  executionSummarySchema,
  executionTriggerSchema,
  jobViewSchema,
  nodeRunSchema,
  nodeRunStatusSchema,
  timelineSchema,
} from "../execution.ts";
import {
  incidentDetailSchema,
  incidentEventSchema,
  incidentSchema,
  incidentStatusSchema,
  severitySchema,
} from "../incident.ts";
import { integrationSchema } from "../integration.ts";
import { jsonObjectSchema, jsonValueSchema } from "../json.ts";
import {
  agentSchema,
  connectionSchema,
  connectionTestSchema,
  createAgentSchema,
  createConnectionSchema,
  deletedSchema,
  poolMemberSchema,
  poolSchema,
  poolSummarySchema,
  registrationSchema,
  updateAgentSchema,
  updateConnectionSchema,
  workflowInputSchema,
  workflowSchema,
  workflowVersionSchema,
} from "../management.ts";
import { auditEntrySchema, permissionSchema, roleSchema, tokenSchema, userSchema } from "../people.ts";
import { failureSchema, fieldErrorSchema, problemSchema } from "../problem.ts";
import { latencySchema, executionCountsSchema, statisticsBucketSchema } from "../statistics.ts";
import { triggerAnswerSchema, webhookBodySchema } from "../webhook.ts";
import {
  actionNodeSchema,
  approvalNodeSchema,
  conditionNodeSchema,
  definitionSchema,
  delayNodeSchema,
  edgeSchema,
  errorHandlerNodeSchema,
  triggerSchema,
  workflowNodeSchema,
} from "../workflow.ts";

/** The shapes that have a name in the API's description. What is not here stands where it is used. */
export const COMPONENTS = {
  ActionNode: actionNodeSchema,
  Agent: agentSchema,
  AgentCredential: agentCredentialSchema,
  ApprovalNode: approvalNodeSchema,
  AuditEntry: auditEntrySchema,
  Condition: conditionSchema,
  ConditionGroup: conditionGroupSchema,
  ConditionNode: conditionNodeSchema,
  Connection: connectionSchema,
  ConnectionTest: connectionTestSchema,
  ConnectionType: connectionTypeSchema,
  Definition: definitionSchema,
  DelayNode: delayNodeSchema,
  Deleted: deletedSchema,
  Edge: edgeSchema,
  ErrorHandlerNode: errorHandlerNodeSchema,
  Execution: executionSchema,
  ExecutionCounts: executionCountsSchema,
  ExecutionStarted: triggerAnswerSchema,
  ExecutionStatus: executionStatusSchema,
  ExecutionSummary: executionSummarySchema,
  ExecutionTrigger: executionTriggerSchema,
  Failure: failureSchema,
  FieldError: fieldErrorSchema,
  Job: jobViewSchema,
  Incident: incidentSchema,
  IncidentDetail: incidentDetailSchema,
  IncidentEvent: incidentEventSchema,
  IncidentStatus: incidentStatusSchema,
  Integration: integrationSchema,
  JobForAgent: jobSchema,
  JobResult: jobResultSchema,
  JsonObject: jsonObjectSchema,
  JsonValue: jsonValueSchema,
  Latency: latencySchema,
  LeaseRef: leaseRefSchema,
  NodeRun: nodeRunSchema,
  NodeRunStatus: nodeRunStatusSchema,
  Permission: permissionSchema,
  Pool: poolSchema,
  PoolMember: poolMemberSchema,
  PoolSummary: poolSummarySchema,
  Problem: problemSchema,
  PublicKey: publicKeySchema,
  Recipient: recipientSchema,
  Registration: registrationSchema,
  Role: roleSchema,
  Severity: severitySchema,
  StatisticsBucket: statisticsBucketSchema,
  Timeline: timelineSchema,
  Token: tokenSchema,
  Trigger: triggerSchema,
  User: userSchema,
  Workflow: workflowSchema,
  WorkflowNode: workflowNodeSchema,
  WorkflowVersion: workflowVersionSchema,
} as const satisfies Record<string, z.ZodType>;

/** Shapes that are only sent. */
export const REQUEST_COMPONENTS = {
  CreateAgent: createAgentSchema,
  CreateConnection: createConnectionSchema,
  Heartbeat: heartbeatRequestSchema,
  Register: registerRequestSchema,
  UpdateAgent: updateAgentSchema,
  UpdateConnection: updateConnectionSchema,
  WebhookBody: webhookBodySchema,
  WorkflowDraft: workflowInputSchema,
  ...configs(),
} as const satisfies Record<string, z.ZodType>;

/** `config` of a connection by its type, `SshConfig`: a connection's own schema cannot say which belongs to which. */
function configs(): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(CONNECTION_CONFIGS).map(([type, schema]) => [configName(type), schema]));
}

function configName(type: string): string {
  return `${type.slice(0, 1).toUpperCase()}${type.slice(1)}Config`;
}
