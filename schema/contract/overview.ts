import { z } from "zod";
import { OVERVIEW_FAILURES_MAX, OVERVIEW_RUNS_MAX } from "../limits.ts";
import { executionSummarySchema, executionTriggerTypeSchema } from "./execution.ts";
import { incidentSchema } from "./incident.ts";
import { maintenanceWindowSchema } from "./maintenance.ts";
import { agentSchema, connectionSchema, workflowSchema } from "./management.ts";
import { pauseSchema } from "./pause.ts";
import { waitingSchema } from "./waiting.ts";

/** What needs a person now, for the first page of the console. */
const at = z.iso.datetime();
const workflow = { workflowId: z.string(), workflowName: z.string().nullable().describe("Null when it was deleted.") };
const node = { nodeId: z.string(), nodeName: z.string(), iteration: z.array(z.int()).optional() };

/** The first items of a section. `more`: there are others, which its list has. */
function section<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), more: z.boolean() });
}

export const waitingApprovalSchema = z.object({
  executionId: z.string(),
  nodeRunId: z.string(),
  ...workflow,
  ...node,
  message: z.string(),
  askedAt: at,
  until: at.nullable().describe("When it expires; null when it waits as long as its execution."),
  mayAnswer: z.boolean().describe("Whether the caller may answer it."),
  refusal: z.string().nullable().describe("Why the caller may not answer it."),
});
export type WaitingApproval = z.infer<typeof waitingApprovalSchema>;

export const askedRunSchema = z.object({
  executionId: z.string(),
  ...workflow,
  key: executionSummarySchema.shape.key,
  startedAt: at,
  window: z.object({ id: z.string(), name: z.string() }).describe("As it was when it decided; it may be deleted."),
});
export type AskedRun = z.infer<typeof askedRunSchema>;

export const urgentIncidentSchema = incidentSchema.pick({
  id: true,
  title: true,
  severity: true,
  status: true,
  service: true,
  host: true,
  assignedTo: true,
  createdAt: true,
});
export type UrgentIncident = z.infer<typeof urgentIncidentSchema>;

export const waitingJobSchema = z.object({
  jobId: z.string(),
  executionId: z.string(),
  ...workflow,
  ...node,
  queuedAt: at,
  waiting: waitingSchema,
});
export type WaitingJob = z.infer<typeof waitingJobSchema>;

export const failingWorkflowSchema = z.object({
  workflowId: z.string(),
  workflowName: z.string(),
  failures: z.int().min(1).describe(`At most ${OVERVIEW_FAILURES_MAX} are counted.`),
  newest: z.object({ executionId: z.string(), startedAt: at, finishedAt: at.nullable(), message: z.string() }),
});
export type FailingWorkflow = z.infer<typeof failingWorkflowSchema>;

export const switchedOffWorkflowSchema = workflowSchema.pick({
  id: true,
  name: true,
  revision: true,
  autoDisabledAt: true,
  autoDisableReason: true,
});
export type SwitchedOffWorkflow = z.infer<typeof switchedOffWorkflowSchema>;

export const unhealthyAgentSchema = agentSchema.pick({
  id: true,
  name: true,
  status: true,
  healthScore: true,
  health: true,
  lastHeartbeatAt: true,
});
export type UnhealthyAgent = z.infer<typeof unhealthyAgentSchema>;

const agentCountsSchema = z.object({
  online: z.int(),
  degraded: z.int(),
  offline: z.int().describe("Without those that never called."),
  neverStarted: z.int().describe("Enabled agents that never called."),
  disabled: z.int().describe("Disabled agents of any status: they get no jobs."),
  unknown: z.int().describe("Agents whose pool does not answer."),
});
export type AgentCounts = z.infer<typeof agentCountsSchema>;

export const liveRunSchema = z.object({
  executionId: z.string(),
  ...workflow,
  triggerType: executionTriggerTypeSchema,
  key: executionSummarySchema.shape.key,
  startedAt: at,
  isWaiting: z.boolean().describe("Whether one of its steps waits, as in the list of executions."),
});
export type LiveRun = z.infer<typeof liveRunSchema>;

const setUpSchema = z.object({
  hasAgent: z.boolean(),
  hasConnection: z.boolean(),
  hasWorkflow: z.boolean(),
  withoutCredential: section(
    connectionSchema.pick({ id: true, name: true, credentialStatus: true, credentials: true }),
  ),
});
export type SetUp = z.infer<typeof setUpSchema>;

export const overviewSchema = z.object({
  paused: pauseSchema.nullable().describe("The pause of all runs; null while they go on."),
  maintenance: section(
    maintenanceWindowSchema.pick({ id: true, name: true, reason: true, mode: true, everything: true, endsAt: true }),
  ).describe("Open maintenance windows, the newest first."),
  approvals: section(waitingApprovalSchema).describe("Waiting approvals, the oldest first."),
  asked: section(askedRunSchema).describe(
    "Executions that wait until a person runs or cancels them, because a maintenance window asks for that; the oldest first.",
  ),
  incidents: section(urgentIncidentSchema).describe(
    "Open incidents: the critical ones, then the high ones, the oldest first.",
  ),
  waitingJobs: section(waitingJobSchema).describe("Jobs that have waited for five minutes, the oldest first."),
  failing: section(failingWorkflowSchema)
    .extend({ from: at })
    .describe("Workflows with failed executions that started since `from`, the newest failure first."),
  switchedOff: section(switchedOffWorkflowSchema).describe(
    "Schedules that the service switched off, the newest first.",
  ),
  agents: section(unhealthyAgentSchema)
    .extend({ counts: agentCountsSchema })
    .describe("Enabled agents that are offline or degraded, the worst first. An agent that never called is left out."),
  running: section(liveRunSchema)
    .extend({ count: z.int().describe(`At most ${OVERVIEW_RUNS_MAX} are counted.`) })
    .describe("Running executions, the oldest first."),
  setUp: setUpSchema.describe("Missing parts, and connections whose agents lack the credential."),
});
export type Overview = z.infer<typeof overviewSchema>;
