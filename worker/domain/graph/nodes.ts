import { ACTIONS, runsOn, secretsFromOf } from "../../../schema/contract/action.ts";
import { descriptorOf } from "../../../schema/contract/connection.ts";
import { placeIn } from "../../../schema/contract/target-list.ts";
import { opaqueIdSchema } from "../../../schema/contract/ids.ts";
import type { Condition, ConditionGroup } from "../../../schema/contract/condition.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type {
  ActionNode,
  ApprovalNode,
  ForEachNode,
  Graph,
  Node,
  WorkflowNode,
} from "../../../schema/contract/workflow.ts";
import { valueProblem } from "../condition.ts";
import type { CallableWorkflow, GraphLookup } from "./lookup.ts";
import { allowedBy } from "../render-target.ts";
import { firstErrors } from "../shown-errors.ts";
import { hasTemplate } from "../template-texts.ts";
import { fieldTemplate, loneTemplate } from "../template/parse.ts";
import type { Steps } from "../steps.ts";
import type { Findings } from "./check-code-param.ts";
import { NOTHING, checkParams, templateProblems } from "./params.ts";

const DISABLED = "the connection is disabled: enable it, or choose another connection";

/** Checks each node alone: its connection, its parameters, the ids that it names. */
export function checkNodes({ nodes }: Graph, lookup: GraphLookup, steps: Steps): Findings {
  const found = nodes.map((node, index) => {
    const at = `nodes.${index}`;
    const params = node.type === "action" ? checkParams(node.action, node.params, `${at}.params`, steps) : NOTHING;
    const warnings = [...connectionWarnings(node, at, lookup), ...params.warnings];
    return { problems: [...checkNode(node, at, lookup, steps), ...params.problems], warnings };
  });
  return {
    problems: found.flatMap(({ problems }) => problems),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

function checkNode(node: Node, at: string, lookup: GraphLookup, steps: Steps): FieldError[] {
  switch (node.type) {
    case "action":
      return [
        ...checkConnection(node, at, lookup),
        ...checkTarget(node, `${at}.target`, lookup, steps),
        ...checkSecretsFrom(node, `${at}.params.secretsFrom`, lookup),
      ];
    case "condition":
      return checkConditions(node.when, `${at}.when`, steps);
    case "forEach":
      return [
        ...checkItems(node.items, `${at}.items`, steps),
        ...(node.check === undefined ? [] : checkConditions(node.check, `${at}.check`, steps)),
        ...uselessRules(node).map(({ path, message }) => ({ path: `${at}.${path}`, message })),
      ];
    case "approval":
      return [...templateProblems(node.message, `${at}.message`, steps), ...checkApprovers(node, at, lookup)];
    case "workflow":
      return checkSubWorkflow(node, at, lookup, steps);
    case "delay":
    case "errorHandler":
      return [];
  }
}

function checkApprovers({ approvers }: ApprovalNode, at: string, lookup: GraphLookup): FieldError[] {
  return (approvers?.people ?? []).flatMap((id, index) =>
    lookup.person(id)
      ? []
      : [{ path: `${at}.approvers.people.${index}`, message: `there is no user ${id} in this deployment` }],
  );
}

function checkItems(items: string, path: string, steps: Steps): FieldError[] {
  const problems = templateProblems(items, path, steps);
  if (problems.length > 0 || loneTemplate(items) !== null || items.trimStart().startsWith("[")) return problems;
  return [{ path, message: "must be one template that gives a list, such as {{webhook.hosts}}, or a list as JSON" }];
}

/** The fields of a forEach that do nothing beside its others. */
function uselessRules({
  concurrency = 1,
  maxFailures,
  continueOnError,
  batchSize,
  pauseSeconds,
  check,
}: ForEachNode): FieldError[] {
  const problems: FieldError[] = [];
  if (continueOnError === true && maxFailures === 0) {
    const message = "with 0, no item may fail, so continueOnError does nothing: leave one of them out";
    problems.push({ path: "maxFailures", message });
  }
  if (batchSize === undefined) {
    const message = "does nothing without batchSize: set batchSize";
    if (pauseSeconds !== undefined) problems.push({ path: "pauseSeconds", message });
    if (check !== undefined) problems.push({ path: "check", message });
  } else if (concurrency > batchSize) {
    problems.push({ path: "concurrency", message: `must be at most batchSize, which is ${batchSize}` });
  }
  return problems;
}

function checkSubWorkflow(
  { workflowId, variables = {} }: WorkflowNode,
  at: string,
  lookup: GraphLookup,
  steps: Steps,
): FieldError[] {
  const target = lookup.workflow(workflowId);
  const problems =
    target === null
      ? [{ path: `${at}.workflowId`, message: `there is no workflow ${workflowId}` }]
      : variableProblems(target, variables, `${at}.variables`);
  return [...problems, ...templateProblems(variables, `${at}.variables`, steps)];
}

/** Compares with the inputs of the published version; the values are known only when the node runs. */
function variableProblems({ name, inputs }: CallableWorkflow, variables: JsonObject, at: string): FieldError[] {
  if (inputs === null) return [];
  const known = Object.keys(inputs).join(", ") || "none";
  const missing = Object.entries(inputs).filter(
    ([key, input]) => input.required === true && input.default === undefined && !Object.hasOwn(variables, key),
  );
  const unknown = Object.keys(variables).filter((key) => !Object.hasOwn(inputs, key));
  return [
    ...missing.map(([key]) => ({ path: `${at}.${key}`, message: `is required: it is an input of ${name}` })),
    ...firstErrors(unknown, (key) => [
      { path: `${at}.${key}`, message: `is not an input of ${name}; its inputs are: ${known}` },
    ]),
  ];
}

function checkConnection({ action, connectionId }: ActionNode, at: string, lookup: GraphLookup): FieldError[] {
  const path = `${at}.connectionId`;
  const wanted = ACTIONS[action].connectionType;
  // The service sends notifications itself: a connection is allowed so that people can switch them off in one place.
  const isNotification = wanted === "notification";
  if (connectionId === undefined && isNotification) return [];
  if (connectionId === undefined)
    return [{ path, message: `is required: ${action} runs on a connection of type ${descriptorOf(wanted).label}` }];
  const connection = lookup.connection(connectionId);
  if (connection === null) return [{ path, message: `there is no connection ${connectionId}` }];
  const problems: FieldError[] = [];
  if (!runsOn(action, connection.type)) {
    problems.push({
      path,
      message: `is a connection of type ${descriptorOf(connection.type).label}, and ${action} runs on one of type ${descriptorOf(wanted).label}`,
    });
  }
  if (!connection.enabled) problems.push({ path, message: DISABLED });
  if (!connection.assigned && !isNotification)
    problems.push({ path, message: "the connection has neither an agent nor a pool: assign one first" });
  return problems;
}

function connectionWarnings(node: Node, at: string, lookup: GraphLookup): FieldError[] {
  const id = node.type === "action" ? node.connectionId : undefined;
  const mistake = (id === undefined ? null : lookup.connection(id))?.mistake ?? null;
  if (mistake === null) return [];
  return [{ path: `${at}.connectionId`, message: `in the connection's ${mistake.path}: ${mistake.message}` }];
}

/** A target with a template is compared with the list when the node runs. */
function checkTarget(
  { target, connectionId, action }: ActionNode,
  path: string,
  lookup: GraphLookup,
  steps: Steps,
): FieldError[] {
  const problems = target === undefined ? [] : templateProblems(target, path, steps);
  if (target !== undefined && connectionId === undefined && ACTIONS[action].connectionType === "notification") {
    return [{ path, message: "has no meaning: the step has no connection. Leave it out" }];
  }
  const connection = connectionId === undefined ? null : lookup.connection(connectionId);
  if (connection === null || problems.length > 0) return problems;
  const { targets } = connection;
  if (targets === null) {
    return target === undefined
      ? []
      : [{ path, message: "has no meaning: the connection leads to one host. Leave it out" }];
  }
  if (target === undefined) {
    return [{ path, message: `is required: the connection leads to several hosts, ${allowedBy(targets)}` }];
  }
  if (hasTemplate(target) || placeIn(targets, target) !== null) return [];
  return [{ path, message: `is not one of the connection's hosts, ${allowedBy(targets)}` }];
}

/** The id must be written out, so that no caller decides whose secrets a script gets. */
function checkSecretsFrom({ action, params }: ActionNode, path: string, lookup: GraphLookup): FieldError[] {
  const id = secretsFromOf(action, params);
  if (id === null) return [];
  if (hasTemplate(id))
    return [
      { path, message: "takes no template: write the id of the custom connection whose secrets the script gets" },
    ];
  if (!opaqueIdSchema.safeParse(id).success) return [];
  const connection = lookup.connection(id);
  if (connection === null) return [{ path, message: `there is no connection ${id}` }];
  if (connection.type !== "custom") {
    const message = `is a connection of type ${descriptorOf(connection.type).label}: only the secrets of a custom connection are given to scripts`;
    return [{ path, message }];
  }
  return connection.enabled ? [] : [{ path, message: DISABLED }];
}

function checkConditions(group: ConditionGroup, at: string, steps: Steps): FieldError[] {
  return group.conditions.length === 0
    ? [{ path: `${at}.conditions`, message: "needs at least one condition" }]
    : checkGroup(group, at, steps);
}

function checkGroup({ conditions }: ConditionGroup, at: string, steps: Steps): FieldError[] {
  return conditions.flatMap((member, index) => {
    const path = `${at}.conditions.${index}`;
    return "conditions" in member ? checkGroup(member, path, steps) : checkCondition(member, path, steps);
  });
}

function checkCondition(condition: Condition, at: string, steps: Steps): FieldError[] {
  const { field, value } = condition;
  const problems = templateProblems(value ?? "", `${at}.value`, steps);
  if (fieldTemplate(field) === null) {
    const [written] = templateProblems(field.includes("{{") ? field : `{{${field}}}`, `${at}.field`, steps);
    const message = "must be a path such as webhook.severity or nodes.check.output.stdout";
    problems.push({ path: `${at}.field`, message: field.includes("|") ? (written?.message ?? message) : message });
  }
  const message = valueProblem(condition, steps);
  if (message !== null) problems.push({ path: `${at}.value`, message });
  return problems;
}
