import { validateAnswerSchema, validateWorkflowSchema } from "../dry-run.ts";
import {
  deleteQuerySchema,
  deletedSchema,
  executeWorkflowSchema,
  pageQuerySchema,
  webhookKeyAnswerSchema,
  workflowInputSchema,
  workflowSchema,
  workflowVersionSchema,
} from "../management.ts";
import type { JsonValue } from "../json.ts";
import type { Operation } from "../operation.ts";
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
  query: pageQuerySchema,
  answer: { kind: "page", item: workflowSchema },
} as const satisfies Operation;

export const createWorkflow = {
  id: "createWorkflow",
  method: "POST",
  path: "/api/v1/automation/workflows",
  tag,
  summary: "Create a workflow",
  description:
    "It is a draft, neither published nor active. Its graph is checked whole: a refusal lists every problem with its path. `warnings` lists what can be saved and may still not be what was meant; a `fix` is a safe repair. Nodes that run code need the permission `code:write` too: a refusal names them. A new or changed node on a connection that says in `usableBy` who may use it is for these people, and for workflows that are listed there.",
  access: "automation:write",
  body: workflowInputSchema,
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
  summary: "Check a workflow without saving it, and try it on paper",
  description:
    "Whether it could be saved, with every problem and warning; a `fix` is a safe repair. With `sample` or `nodes`, also what each template would become with these data, which way it would go, and where its actions would run. Nothing is stored, and nothing is run.",
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
  description: "The draft, and what is published of it.",
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
    "What is published stays as it is until it is published again. A new or changed node that runs code needs the permission `code:write` too: a refusal names the nodes. A new or changed node on a connection that says in `usableBy` who may use it is for these people, and for workflows that are listed there.",
  access: "automation:write",
  body: workflowInputSchema,
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
    "Nothing starts it any more. What runs goes on to its end, and its executions stay to be read. A workflow that published workflows call is kept, and a `conflict` names them, unless `force` says otherwise.",
  access: "automation:write",
  query: deleteQuerySchema,
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const listWorkflowVersions = {
  id: "listWorkflowVersions",
  method: "GET",
  path: `${one}/versions`,
  tag,
  summary: "List what was published of a workflow",
  description: "Newest first. A version never changes.",
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
  summary: "Publish the draft",
  description:
    "Makes an immutable version of it, which people can execute, and its trigger too once the workflow is active. The draft is checked again. An unchanged draft makes no new version. Nodes that run code and differ from those of the latest version need the permission `code:write` too, whoever saved them. `warnings` also name approvals that too few people could answer. Where the deployment asks for a second publisher, a draft that weakens an approval is `forbidden` for those who changed it. A connection that says in `usableBy` who may use it is refused where neither holds: the person may use it, or the workflow is listed and the person has `credentials:write`. Safe to repeat.",
  access: "automation:write",
  answer: { kind: "data", status: 200, data: workflowSchema },
  errors: ["invalid_request", "too_complex", "not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const unpublishWorkflow = {
  id: "unpublishWorkflow",
  method: "POST",
  path: `${one}/unpublish`,
  tag,
  summary: "Take back what is published",
  description: "Nothing starts the workflow any more, from the next request on. What runs goes on. Safe to repeat.",
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
    "Incidents, webhooks and the schedule start it once it is published, too. Clears an auto-disable. Safe to repeat.",
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
  summary: "Keep the trigger from starting the workflow",
  description: "Only people start it any more, from the next request on. Safe to repeat.",
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
  summary: "Make a webhook key and its secret",
  description:
    "For a workflow whose trigger is a webhook. The secret is shown this once. An older key, its address and its secret are none from then on.",
  access: "automation:write",
  answer: { kind: "data", status: 201, data: webhookKeyAnswerSchema },
  errors: ["not_found", "conflict"],
  idempotent: "showsSecret",
  lostSecret: "If it was lost, make another key: send this again with a new Idempotency-Key.",
} as const satisfies Operation;

export const executeWorkflow = {
  id: "executeWorkflow",
  method: "POST",
  path: `${one}/execute`,
  tag,
  summary: "Execute a workflow",
  description:
    "Starts the published version; it need not be active. What a manual trigger lists as inputs is checked and filled in.",
  access: "automation:execute",
  body: executeWorkflowSchema,
  example: { variables: { service: "nginx" } },
  answer: { kind: "data", status: 201, data: triggerAnswerSchema },
  errors: ["not_found", "conflict"],
  idempotent: true,
  creates: "execution",
} as const satisfies Operation;
