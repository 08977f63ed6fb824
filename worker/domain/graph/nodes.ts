import { actionContract, runsOn } from "../../../schema/contract/action.ts";
import type { Condition, ConditionGroup } from "../../../schema/contract/condition.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { ActionNode, Definition, NodeType } from "../../../schema/contract/workflow.ts";
import { fieldPath, valueProblem } from "../condition.ts";
import type { GraphLookup } from "../graph.ts";
import { checkParams } from "./params.ts";

/** What this build can run. A definition with anything else is not saved, so that no execution stops at it. */
const AVAILABLE = {
  action: true,
  condition: true,
  delay: true,
  errorHandler: true,
  forEach: false,
  approval: false,
  workflow: false,
} as const satisfies Record<NodeType, boolean>;

/** Each node by itself: whether it can run here, its connection, its parameters. */
export function checkNodes({ nodes }: Definition, lookup: GraphLookup): FieldError[] {
  return nodes.flatMap((node, index) => {
    const at = `nodes.${index}`;
    if (!AVAILABLE[node.type]) {
      return [{ path: `${at}.type`, message: `nodes of type ${node.type} are not available yet: leave this one out` }];
    }
    if (node.type === "action")
      return [...checkConnection(node, at, lookup), ...checkParams(node.action, node.params, `${at}.params`)];
    if (node.type === "condition") return checkGroup(node.when, `${at}.when`);
    return [];
  });
}

function checkConnection({ action, connectionId }: ActionNode, at: string, lookup: GraphLookup): FieldError[] {
  const path = `${at}.connectionId`;
  const wanted = actionContract(action).connectionType;
  if (wanted === "notification")
    return [{ path: `${at}.action`, message: `${action} is not available yet: leave this node out` }];
  if (connectionId === undefined)
    return [{ path, message: `is required: ${action} runs on a connection of type ${wanted}` }];
  const connection = lookup.connection(connectionId);
  if (connection === null) return [{ path, message: `there is no connection ${connectionId}` }];
  const problems: FieldError[] = [];
  if (!runsOn(action, connection.type)) {
    problems.push({
      path,
      message: `is a connection of type ${connection.type}, and ${action} runs on one of type ${wanted}`,
    });
  }
  if (!connection.enabled) problems.push({ path, message: "is disabled: enable it, or choose another connection" });
  if (!connection.assigned) problems.push({ path, message: "has neither an agent nor a pool: assign one first" });
  return problems;
}

function checkGroup({ conditions }: ConditionGroup, at: string): FieldError[] {
  return conditions.flatMap((member, index) => {
    const path = `${at}.conditions.${index}`;
    return "conditions" in member ? checkGroup(member, path) : checkCondition(member, path);
  });
}

function checkCondition(condition: Condition, at: string): FieldError[] {
  const problems: FieldError[] = [];
  if (fieldPath(condition.field) === null)
    problems.push({
      path: `${at}.field`,
      message: "must be a path such as webhook.severity or nodes.check.output.stdout",
    });
  const message = valueProblem(condition);
  if (message !== null) problems.push({ path: `${at}.value`, message });
  return problems;
}
