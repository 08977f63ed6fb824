import { executionSchema, executionSummarySchema } from "../execution.ts";
import { approveSchema, retryExecutionSchema } from "../answer-execution.ts";
import { listExecutionsQuerySchema } from "../list-executions.ts";
import type { Operation } from "../operation.ts";
import { triggerAnswerSchema } from "../webhook.ts";

const tag = "Executions";

export const listExecutions = {
  id: "listExecutions",
  method: "GET",
  path: "/api/v1/automation/executions",
  tag,
  summary: "List executions",
  description:
    "Newest first. `from` and `to` limit the start time, both inclusive. A `trigger` of more than 16 KB is without its variables, or the description and tags of its incident.",
  access: "automation:read",
  query: listExecutionsQuerySchema,
  answer: { kind: "page", item: executionSummarySchema },
} as const satisfies Operation;

export const getExecution = {
  id: "getExecution",
  method: "GET",
  path: "/api/v1/automation/executions/{id}",
  tag,
  summary: "Show an execution",
  description: "With its node runs: outputs, errors, the time of each stage, and why a job waits.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: executionSchema },
  errors: ["not_found"],
} as const satisfies Operation;

export const cancelExecution = {
  id: "cancelExecution",
  method: "POST",
  path: "/api/v1/automation/executions/{id}/cancel",
  tag,
  summary: "Cancel an execution",
  description: "Waiting jobs are cancelled, and agents stop running ones. An execution that has ended is a conflict.",
  access: "automation:execute",
  answer: { kind: "data", status: 200, data: executionSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const approveExecution = {
  id: "approveExecution",
  method: "POST",
  path: "/api/v1/automation/executions/{id}/approve",
  tag,
  summary: "Answer an approval",
  description:
    "Approves or rejects a waiting node run of type approval. If it does not wait, the answer is a conflict. A caller whom its `by` or `approvers` excludes gets `forbidden` with the reason.",
  access: "automation:approve",
  body: approveSchema,
  answer: { kind: "data", status: 200, data: executionSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const retryExecution = {
  id: "retryExecution",
  method: "POST",
  path: "/api/v1/automation/executions/{id}/retry",
  tag,
  summary: "Run a finished execution again",
  description:
    "Starts a new execution with the same trigger. `from: failed` keeps successful results and runs the failed nodes and everything after them; `version: published` runs the version that is published now.",
  access: "automation:execute",
  body: retryExecutionSchema,
  answer: { kind: "data", status: 201, data: triggerAnswerSchema },
  errors: ["not_found", "conflict", "maintenance"],
  idempotent: true,
  creates: "execution",
} as const satisfies Operation;
