import type { z } from "zod";
import {
  heartbeatRequestSchema,
  jobResultSchema,
  jobSchema,
  leaseRefSchema,
  publicKeySchema,
  registerRequestSchema,
} from "../agent.ts";
import { anyConditionGroupSchema, conditionSchema } from "../condition.ts";
import { CONFIG_COMPONENTS, connectionTypeSchema } from "../connection.ts";
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
  workflowSchema,
  workflowVersionSchema,
} from "../management.ts";
import { auditEntrySchema, permissionSchema, roleSchema, tokenSchema, userSchema } from "../people.ts";
import { failureSchema, fieldErrorSchema, problemSchema } from "../problem.ts";
import { saveWorkflowSchema } from "../save-workflow.ts";
import { latencySchema, executionCountsSchema, statisticsBucketSchema } from "../statistics.ts";
import { triggerAnswerSchema, webhookBodySchema } from "../webhook.ts";
import {
  anyDraftConditionGroupSchema,
  draftActionNodeSchema,
  draftConditionSchema,
  draftDefinitionSchema,
  draftForEachNodeSchema,
  draftGraphSchema,
  draftNodeSchema,
  draftTriggerSchema,
} from "../workflow-draft.ts";
import {
  actionNodeSchema,
  approvalNodeSchema,
  conditionNodeSchema,
  definitionSchema,
  delayNodeSchema,
  edgeSchema,
  errorHandlerNodeSchema,
  forEachNodeSchema,
  graphSchema,
  nodeSchema,
  triggerSchema,
  workflowNodeSchema,
} from "../workflow.ts";

/** Named shapes of the API's description that are the same in requests and answers. */
export const SHARED_COMPONENTS = {
  ApprovalNode: approvalNodeSchema,
  Condition: conditionSchema,
  ConditionGroup: anyConditionGroupSchema,
  ConditionNode: conditionNodeSchema,
  ConnectionType: connectionTypeSchema,
  DelayNode: delayNodeSchema,
  DraftCondition: draftConditionSchema,
  DraftConditionGroup: anyDraftConditionGroupSchema,
  DraftTrigger: draftTriggerSchema,
  Edge: edgeSchema,
  ErrorHandlerNode: errorHandlerNodeSchema,
  ExecutionStatus: executionStatusSchema,
  Failure: failureSchema,
  IncidentStatus: incidentStatusSchema,
  JsonObject: jsonObjectSchema,
  JsonValue: jsonValueSchema,
  Permission: permissionSchema,
  PublicKey: publicKeySchema,
  Role: roleSchema,
  Severity: severitySchema,
  Trigger: triggerSchema,
  WorkflowNode: workflowNodeSchema,
} as const satisfies Record<string, z.ZodType>;

/** Named shapes of requests. A shape with a default has a second name here: a caller may omit the field. */
export const SENT_COMPONENTS = {
  ActionNodeInput: actionNodeSchema,
  CreateAgent: createAgentSchema,
  CreateConnection: createConnectionSchema,
  DefinitionInput: definitionSchema,
  DraftActionNodeInput: draftActionNodeSchema,
  DraftDefinitionInput: draftDefinitionSchema,
  DraftForEachNodeInput: draftForEachNodeSchema,
  DraftGraphInput: draftGraphSchema,
  DraftNodeInput: draftNodeSchema,
  ForEachNodeInput: forEachNodeSchema,
  GraphInput: graphSchema,
  Heartbeat: heartbeatRequestSchema,
  JobResultInput: jobResultSchema,
  NodeInput: nodeSchema,
  Register: registerRequestSchema,
  UpdateAgent: updateAgentSchema,
  UpdateConnection: updateConnectionSchema,
  WebhookBody: webhookBodySchema,
  WorkflowDraft: saveWorkflowSchema,
  ...CONFIG_COMPONENTS,
} as const satisfies Record<string, z.ZodType>;

/** Named shapes of answers. */
export const ANSWERED_COMPONENTS = {
  ActionNode: actionNodeSchema,
  Agent: agentSchema,
  AgentCredential: agentCredentialSchema,
  AuditEntry: auditEntrySchema,
  Connection: connectionSchema,
  ConnectionTest: connectionTestSchema,
  Definition: definitionSchema,
  Deleted: deletedSchema,
  DraftActionNode: draftActionNodeSchema,
  DraftDefinition: draftDefinitionSchema,
  DraftForEachNode: draftForEachNodeSchema,
  DraftGraph: draftGraphSchema,
  DraftNode: draftNodeSchema,
  Execution: executionSchema,
  ExecutionCounts: executionCountsSchema,
  ExecutionStarted: triggerAnswerSchema,
  ExecutionSummary: executionSummarySchema,
  ExecutionTrigger: executionTriggerSchema,
  FieldError: fieldErrorSchema,
  ForEachNode: forEachNodeSchema,
  Graph: graphSchema,
  Incident: incidentSchema,
  IncidentDetail: incidentDetailSchema,
  IncidentEvent: incidentEventSchema,
  Integration: integrationSchema,
  Job: jobViewSchema,
  JobForAgent: jobSchema,
  Latency: latencySchema,
  LeaseRef: leaseRefSchema,
  Node: nodeSchema,
  NodeRun: nodeRunSchema,
  NodeRunStatus: nodeRunStatusSchema,
  Pool: poolSchema,
  PoolMember: poolMemberSchema,
  PoolSummary: poolSummarySchema,
  Problem: problemSchema,
  Recipient: recipientSchema,
  Registration: registrationSchema,
  StatisticsBucket: statisticsBucketSchema,
  Timeline: timelineSchema,
  Token: tokenSchema,
  User: userSchema,
  Workflow: workflowSchema,
  WorkflowVersion: workflowVersionSchema,
} as const satisfies Record<string, z.ZodType>;
