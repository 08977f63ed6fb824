import type { ConditionGroup } from "../../schema/contract/condition.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { conditions as conditionText } from "../strings/en/conditions.ts";
import { graph as text } from "../strings/en/graph.ts";
import { duration } from "../strings/time.ts";
import { conditionLabel } from "./condition-label.ts";

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
      return node.when.conditions.length === 0 ? conditionText.sentence.ofStep : describeGroup(node.when);
    case "forEach":
      return node.concurrency === undefined
        ? text.forEach(node.items)
        : text.forEachAtOnce(node.items, node.concurrency);
    case "delay":
      return text.delay(duration(node.seconds * 1_000));
    case "approval":
      return node.message;
    case "workflow":
      return text.workflow;
    case "errorHandler":
      return text.errorHandler;
  }
}

function describeGroup({ logic, conditions }: ConditionGroup): string {
  const [only] = conditions;
  if (only === undefined) return conditionText.sentence.noConditions[logic];
  if (conditions.length > 1) return conditionText.sentence.several(logic, conditions.length);
  return "conditions" in only ? describeGroup(only) : conditionLabel(only);
}
