import { z } from "zod";
import { validateAnswerSchema, validateWorkflowSchema } from "../dry-run.ts";
import {
  deletedSchema,
  executeWorkflowSchema,
  pageQuerySchema,
  workflowSchema,
  workflowVersionSchema,
} from "../management.ts";
import { deleteWorkflowQuerySchema } from "../delete-workflow.ts";
import type { JsonValue } from "../json.ts";
import { publishWorkflowSchema } from "../publish.ts";
import type { Operation } from "../operation.ts";
import { saveWorkflowSchema } from "../save-workflow.ts";
import { workflowTagSchema } from "../workflow-tags.ts";
import { changeWebhookSchema, webhookDeliverySchema } from "../webhook-delivery.ts";
import { makeWebhookKeySchema, replaceWebhookSecretSchema, webhookKeyAnswerSchema } from "../webhook-verification.ts";
import { triggerAnswerSchema } from "../webhook.ts";

const tag = "Workflows";
const one = "/api/v1/automation/workflows/{id}";
const draft: JsonValue = {
  name: "Restart the web server",
  trigger: { type: "webhook" },
  definition: {
    nodes: [
      {
        id: "restart",
        type: "action",
        action: "script.bash",
        connectionId: "con_01985f3a-7c5e-7b1a-9a3e-2f4b6c8d0e1f",
        params: { script: 'systemctl restart "{{webhook.service}}"' },
        timeoutSeconds: 60,
      },
      { id: "settle", type: "delay", seconds: 30 },
    ],
    edges: [{ from: "restart", to: "settle", on: "success" }],
  },
};

export const listWorkflows = {
  id: "listWorkflows",
  method: "GET",
  path: "/api/v1/automation/workflows",
  tag,
  summary: "List workflows",
  description: "Newest first.",
  access: "automation:read",
  query: pageQuerySchema.extend({
    tag: workflowTagSchema.optional().describe("Only workflows with this tag."),
    afterFailureOf: z
      .string()
      .max(64)
      .optional()
      .describe("Only the failure workflows that a failed run of the workflow with this id starts."),
  }),
  answer: { kind: "page", item: workflowSchema },
} as const satisfies Operation;

export const createWorkflow = {
  id: "createWorkflow",
  method: "POST",
  path: "/api/v1/automation/workflows",
  tag,
  summary: "Create a workflow",
  description:
    "The workflow is a draft, neither published nor active. The whole graph is checked: a refusal lists every problem with its path. With `draft: true`, a workflow with problems is stored and the answer lists them in `problems`; types, sizes and permissions still apply, and publishing demands that there are none. `warnings` lists possible mistakes that do not prevent saving; a `fix` is a safe repair. Nodes that run code also need the permission `code:write`: a refusal names them. If the connection of a new or changed node has `usableBy`, the caller or the workflow must be allowed there.",
  access: "automation:write",
  body: saveWorkflowSchema,
  example: draft,
  answer: { kind: "data", status: 201, data: workflowSchema },
  errors: ["too_complex"],
  idempotent: true,
  creates: "workflow",
} as const satisfies Operation;

export const validateWorkflow = {
  id: "validateWorkflow",
  method: "POST",
  path: "/api/v1/automation/workflows/validate",
  tag,
  summary: "Check a workflow without saving it, with a dry run",
  description:
    "Whether it could be saved, with every problem and warning; a `fix` is a safe repair. With `sample` or `nodes`, also the result of each template with these data, the path that the run would take, and where its actions would run. Nothing is stored or run.",
  access: "automation:read",
  body: validateWorkflowSchema,
  example: draft,
  answer: { kind: "data", status: 200, data: validateAnswerSchema },
  errors: ["too_complex"],
} as const satisfies Operation;

export const getWorkflow = {
  id: "getWorkflow",
  method: "GET",
  path: one,
  tag,
  summary: "Show a workflow",
  description: "The draft, and its published version. `problems` are those of the draft when it was last saved.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["not_found"],
  etag: true,
} as const satisfies Operation;

export const replaceWorkflow = {
  id: "replaceWorkflow",
  method: "PUT",
  path: one,
  tag,
  summary: "Replace the draft of a workflow",
  description:
    "The published version stays until the workflow is published again. With `draft: true`, a draft with problems is stored and the answer lists them in `problems`; types, sizes and permissions still apply, and publishing demands that there are none. Such saves of one caller within 10 minutes are one entry of the audit log. New or changed nodes that run code also need the permission `code:write`: a refusal names the nodes. If the connection of a new or changed node has `usableBy`, the caller or the workflow must be allowed there.",
  access: "automation:write",
  body: saveWorkflowSchema,
  example: draft,
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["too_complex", "not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const deleteWorkflow = {
  id: "deleteWorkflow",
  method: "DELETE",
  path: one,
  tag,
  summary: "Delete a workflow",
  description:
    "Nothing starts it from then on, and it can be restored for 24 hours. Running executions finish, and executions can be read. After the 24 hours the deletion is final: versions and ended executions are deleted, and a running execution once it has ended for a day. With `executions=keep`, executions go by retention, and the versions with the last of them. If published workflows call it, a `conflict` names them and nothing is deleted, unless `force` is set.",
  access: "automation:write",
  query: deleteWorkflowQuerySchema,
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const restoreWorkflow = {
  id: "restoreWorkflow",
  method: "POST",
  path: `${one}/restore`,
  tag,
  summary: "Restore a deleted workflow",
  description:
    "Within 24 hours of its deletion. The workflow is as it was, with its versions, webhook key and secret; an active one starts again from the next event. A schedule starts from now on: runs that were due meanwhile are not made up for. Until then every call about the workflow is a 404. Safe to repeat.",
  access: "automation:write",
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const listWorkflowVersions = {
  id: "listWorkflowVersions",
  method: "GET",
  path: `${one}/versions`,
  tag,
  summary: "List the published versions of a workflow",
  description: "Newest first, each with who published it, when and why. A version never changes.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: workflowVersionSchema },
  errors: ["not_found"],
} as const satisfies Operation;

export const publishWorkflow = {
  id: "publishWorkflow",
  method: "POST",
  path: `${one}/publish`,
  tag,
  summary: "Publish the draft, or a version again",
  description:
    "Creates an immutable version of the draft. People can execute it, and so can its trigger once the workflow is active. The draft is checked again. A draft that equals the live or the latest version creates no new version. With `versionId`, that version becomes live again and the draft stays. Nodes that run code and differ from the live version, or from the latest one without a live one, also need the permission `code:write`, no matter who saved them. `warnings` also name approvals that too few people could answer. If the deployment requires a second publisher, a draft that weakens an approval is `forbidden` for the people who changed it, and so is an earlier version for the caller. For each connection with `usableBy`, the caller must be allowed to use it, or the workflow must be listed and the caller have `credentials:write`. Safe to repeat.",
  access: "automation:write",
  body: publishWorkflowSchema,
  example: { message: "Restart only after the health check failed twice" },
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["invalid_request", "too_complex", "not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const unpublishWorkflow = {
  id: "unpublishWorkflow",
  method: "POST",
  path: `${one}/unpublish`,
  tag,
  summary: "Withdraw the published version",
  description:
    "Nothing starts the workflow from the next request on. Executions that have begun continue; those that wait before their first node are cancelled. Safe to repeat.",
  access: "automation:write",
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const activateWorkflow = {
  id: "activateWorkflow",
  method: "POST",
  path: `${one}/activate`,
  tag,
  summary: "Let the trigger start the workflow",
  description:
    "Incidents, webhooks and the schedule then start it, if it is published. Clears an auto-disable. Safe to repeat.",
  access: "automation:write",
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const deactivateWorkflow = {
  id: "deactivateWorkflow",
  method: "POST",
  path: `${one}/deactivate`,
  tag,
  summary: "Stop the trigger from starting the workflow",
  description:
    "From the next request on, only people can start it. Executions that have begun continue; those of events and schedules that wait before their first node are cancelled. Safe to repeat.",
  access: "automation:write",
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const makeWebhookKey = {
  id: "makeWebhookKey",
  method: "POST",
  path: `${one}/webhook-key`,
  tag,
  summary: "Create a webhook key and its secret",
  description:
    "For a workflow whose trigger is a webhook. The secret is shown only this once. An older key, its address and its secret stop working. `verification` says how callers prove that they have the secret.",
  access: "automation:write",
  body: makeWebhookKeySchema,
  example: { verification: { type: "hmac", scheme: "github" } },
  answer: { kind: "data", status: 201, data: webhookKeyAnswerSchema },
  errors: ["not_found", "conflict"],
  idempotent: "showsSecret",
  lostSecret: "If it was lost, create another key: send this again with a new Idempotency-Key.",
} as const satisfies Operation;

export const replaceWebhookSecret = {
  id: "replaceWebhookSecret",
  method: "POST",
  path: `${one}/webhook-secret`,
  tag,
  summary: "Replace the secret of a webhook key",
  description:
    "The key and its verification stay. The new secret is shown only this once. The old one stays valid for `keepOldSeconds`, so that senders can be changed meanwhile, also when the secret is replaced again; two old ones can be valid at a time; with the verification `address`, so does the address with it.",
  access: "automation:write",
  body: replaceWebhookSecretSchema,
  example: { keepOldSeconds: 3600 },
  answer: { kind: "data", status: 201, data: webhookKeyAnswerSchema },
  errors: ["not_found", "conflict"],
  idempotent: "showsSecret",
  lostSecret:
    "If it was lost, replace it again: send this again with a new Idempotency-Key. The secret that senders use stays valid for its time.",
} as const satisfies Operation;

export const changeWebhook = {
  id: "changeWebhook",
  method: "PUT",
  path: `${one}/webhook`,
  tag,
  summary: "Change how many requests a webhook takes",
  description: "Its key and secret stay. Takes effect with the next request.",
  access: "automation:write",
  body: changeWebhookSchema,
  example: { requestsPerMinute: 120 },
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;

export const listWebhookDeliveries = {
  id: "listWebhookDeliveries",
  method: "GET",
  path: `${one}/webhook/deliveries`,
  tag,
  summary: "List the last deliveries of a webhook",
  description:
    "The last ten, newest first, with their results; the list has one page. Refusals for the same reason are one entry. It has no secret and nothing of a body but the names of ignored fields. A few seconds of it can be lost when the service restarts, and a new key begins a new list.",
  access: "automation:read",
  answer: { kind: "page", item: webhookDeliverySchema },
  errors: ["not_found"],
} as const satisfies Operation;

export const executeWorkflow = {
  id: "executeWorkflow",
  method: "POST",
  path: `${one}/execute`,
  tag,
  summary: "Execute a workflow",
  description:
    "Starts the published version; the workflow need not be active. The inputs of a manual trigger are checked and get their defaults.",
  access: "automation:execute",
  body: executeWorkflowSchema,
  example: { variables: { service: "nginx" } },
  answer: { kind: "data", status: 201, data: triggerAnswerSchema },
  errors: ["not_found", "conflict", "maintenance"],
  idempotent: true,
  creates: "execution",
} as const satisfies Operation;
