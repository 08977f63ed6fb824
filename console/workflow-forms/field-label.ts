import type { Node } from "../../schema/contract/workflow.ts";
import { nodeTitle } from "../graph/describe-node.ts";
import { actionForms } from "../strings/en/action-forms.ts";
import { common } from "../strings/en/common.ts";
import { concurrency } from "../strings/en/concurrency.ts";
import { conditions } from "../strings/en/conditions.ts";
import { cron } from "../strings/en/cron.ts";
import { designer } from "../strings/en/designer.ts";
import { retention } from "../strings/en/retention.ts";
import { limits as ofTargets } from "../strings/en/limits.ts";
import { webhookTrigger } from "../strings/en/webhook-trigger.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import { workflows } from "../strings/en/workflows.ts";
import { isOfTrigger } from "./draft-problems.ts";
import type { DraftProblem } from "./draft-problems.ts";
import { fieldsOf } from "./param-fields.ts";
import type { ParamField } from "./param-fields.ts";

const { fields: text, forEach, delay, approval, workflow, trigger, inputs } = workflowForms;
const { limits } = actionForms;
const targetLimits = ofTargets.fields;

/** The place of a problem as the console names it: "restart: Script", "Trigger: Events", "Workflow". */
export function placeLabel({ node, edge, path, within }: DraftProblem): string {
  const [owner, field] = isOfTrigger(path)
    ? [common.trigger, triggerLabel(within)]
    : node === null
      ? [common.workflow, WORKFLOW[path.replace(/^(tags|definition\.limits)\.\d+/u, "$1")] ?? path]
      : [nodeTitle(node), edge === null ? nodeLabel(node, within) : designer.canvas.edge(edge.from, edge.on, edge.to)];
  return field === "" ? owner : text.part(owner, field);
}

/** The label of a node's field in its form, such as "Script"; the path itself where the form has no such field. */
export function nodeLabel(node: Node, path: string): string {
  const [field = "", ...rest] = path.split(".");
  return labelInNode(node, field, rest) ?? path;
}

/** The same for a trigger. */
export function triggerLabel(path: string): string {
  const [field = "", ...rest] = path.split(".");
  return labelInTrigger(field, rest) ?? path;
}

/** Empty for the steps of the workflow, which are no field. */
const WORKFLOW: Readonly<Record<string, string>> = {
  name: common.name,
  description: common.description,
  runbookUrl: designer.workflow.runbook,
  tags: designer.workflow.tags,
  "retention.executionDays": retention.workflow.executionDays,
  "retention.failedDays": retention.workflow.failedDays,
  definition: "",
  "definition.nodes": "",
  "definition.timeoutSeconds": workflows.overview.timeLimit,
  "definition.concurrency.mode": concurrency.mode,
  "definition.concurrency.key": concurrency.key,
  "definition.concurrency.maxQueued": concurrency.maxQueued,
  "definition.limits": targetLimits.title,
  "definition.limits.groupId": targetLimits.group,
  "definition.limits.key": targetLimits.groupKey,
};

function labelInNode(node: Node, field: string, rest: readonly string[]): string | null {
  if (field === "id" || field === "name") return common[field];
  const own: Readonly<Record<string, string>> = LABELS[node.type];
  if (node.type === "action" && field === "params") return labelOfParam(fieldsOf(node.action, node.params), rest);
  if (node.type === "condition" && field === "when") return labelOfCondition(rest);
  const key = [field, ...rest].join(".");
  const label = own[key] ?? own[`${field}.${rest[0] ?? ""}`] ?? own[field];
  if (label === undefined) return null;
  return field === "variables" && rest[0] !== undefined ? text.part(label, rest.join(".")) : label;
}

const LABELS = {
  action: {
    action: actionForms.action,
    connectionId: common.connection,
    target: actionForms.target.label,
    timeoutSeconds: limits.time,
    queueTimeoutSeconds: limits.queue,
    "retry.maxAttempts": limits.attempts,
    "retry.backoffSeconds": limits.backoff,
    onAgentLost: limits.lost,
  },
  condition: {},
  forEach: {
    items: forEach.items,
    concurrency: forEach.concurrency,
    maxFailures: forEach.maxFailures,
    continueOnError: forEach.continueOnError,
    batchSize: forEach.batchSize,
    pauseSeconds: forEach.pause,
    check: forEach.check,
    nodes: forEach.steps,
    body: forEach.steps,
  },
  delay: { seconds: delay.time },
  approval: {
    message: approval.question,
    timeoutSeconds: approval.timeout,
    by: approval.another,
    approvers: approval.approvers,
    "approvers.roles": approval.roles,
    "approvers.people": approval.people,
  },
  workflow: { workflowId: common.workflow, variables: workflow.variables },
  errorHandler: {},
} satisfies Record<Node["type"], Record<string, string>>;

/** "Environment variables: HOST" for `env.HOST`, "Attachments 1: Content type" for `attachments.0.contentType`. */
function labelOfParam(fields: readonly ParamField[], [name = "", ...rest]: readonly string[]): string | null {
  const field = fields.find((one) => one.name === name);
  if (field === undefined) return null;
  const [first, ...below] = rest;
  if (first === undefined) return field.label;
  if (!/^\d+$/u.test(first)) return text.part(field.label, rest.join("."));
  const member = text.member(field.label, Number(first) + 1);
  if (below.length === 0) return member;
  const inner = field.kind === "objects" ? labelOfParam(field.fields, below) : null;
  return text.part(member, inner ?? below.join("."));
}

/** "Condition 1.2: value" for `conditions.0.conditions.1.value`. */
function labelOfCondition(path: readonly string[]): string {
  const number = path
    .filter((part) => /^\d+$/u.test(part))
    .map((part) => Number(part) + 1)
    .join(".");
  if (number === "") return conditions.form.title;
  const name = conditions.form.condition(number);
  const last = path.at(-1);
  return last === "field" || last === "operator" || last === "value" ? conditions.form[last](name) : name;
}

function labelInTrigger(field: string, rest: readonly string[]): string | null {
  const [name, part] = rest;
  switch (field) {
    case "type":
      return common.type;
    case "payload":
    case "headers":
    case "query":
    case "sensitive":
      return webhookTrigger[field];
    case "events":
      return trigger.events;
    case "expression":
      return cron.form.expression;
    case "timezone":
      return cron.form.timeZone;
    case "conditions":
      return labelOfCondition(rest);
    case "coalesce":
      return name === "key" ? trigger.coalesceKey : trigger.coalesce;
    case "inputs": {
      if (name === undefined || name === "") return inputs.all;
      const label = text.part(inputs.all, name);
      if (part === "default") return text.part(label, inputs.default);
      return part === "description" ? text.part(label, common.description) : label;
    }
    default:
      return null;
  }
}
