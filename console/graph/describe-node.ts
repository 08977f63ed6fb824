import type { Condition, ConditionGroup } from "../../schema/contract/condition.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { duration } from "../strings/time.ts";

/** The title of a node: its name, or its id without one. */
export function nodeTitle({ id, name }: Pick<Node, "id" | "name">): string {
  return name === undefined || name.trim() === "" ? id : name;
}

/** A short description of what a node does. */
export function describeNode(node: Node): string {
  switch (node.type) {
    case "action":
      return node.action;
    case "condition":
      return describeGroup(node.when);
    case "forEach":
      return `each of ${node.items}${node.concurrency === undefined ? "" : `, ${node.concurrency} at a time`}`;
    case "delay":
      return `waits ${duration(node.seconds * 1_000)}`;
    case "approval":
      return node.message;
    case "workflow":
      return "runs another workflow";
    case "errorHandler":
      return "after a failure";
  }
}

function describeGroup({ logic, conditions }: ConditionGroup): string {
  const [only] = conditions;
  if (only === undefined) return "always true";
  if (conditions.length > 1) return `${logic} of ${conditions.length} conditions`;
  return "conditions" in only ? describeGroup(only) : describeCondition(only);
}

function describeCondition({ field, operator, value }: Condition): string {
  const label = operator.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  if (value === undefined || operator === "exists" || operator === "notExists") return `${field} ${label}`;
  return `${field} ${label} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}
