import { executionSchema, executionSummarySchema } from "../execution.ts";
import { approveSchema, listExecutionsQuerySchema, retryExecutionSchema } from "../management.ts";
import type { Operation } from "../operation.ts";
import { triggerAnswerSchema } from "../webhook.ts";

const tag = "Executions";

export const listExecutions = {
  id: "listExecutions",
  method: "GET",
  path: "/api/v1/automation/executions",
  tag,
  summary: "List executions",
  description: "Newest first. `from` and `to` are about the start, and inclusive.",
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
  description: "With its node runs: their outputs, their errors, when each stage was reached and why a job waits.",
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
  description: "Its jobs are taken back, or their agents told to stop. One that has ended is a conflict.",
  access: "automation:execute",
  answer: { kind: "data", status: 200, data: executionSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const approveExecution = {
  id: "approveExecution",
  method: "POST",
  path: "/api/v1/automation/executions/{id}/approve",
  tag,
  summary: "Approve or reject what waits for it",
  description:
    "Answers a node run of type approval. One that does not wait, or not any more, is a conflict. A caller whom its `by` or `approvers` excludes gets `forbidden` with the reason.",
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
    "As a new execution with the same trigger. `from: failed` keeps what had succeeded and runs what failed and everything behind it; `version: published` takes the workflow as it is published now.",
  access: "automation:execute",
  body: retryExecutionSchema,
  answer: { kind: "data", status: 201, data: triggerAnswerSchema },
  errors: ["not_found", "conflict"],
  idempotent: true,
  creates: "execution",
} as const satisfies Operation;
