import type { Node, Trigger } from "../../schema/contract/workflow.ts";
import { fieldsOf } from "./param-fields.ts";

/** The paths at which a node's form shows problems; what is wrong elsewhere is told above it. */
export function shownPaths(node: Node): string[] {
  const own = ["id", "name"];
  switch (node.type) {
    case "action": {
      const names = new Set([
        ...fieldsOf(node.action, node.params).map(({ name }) => name),
        ...Object.keys(node.params),
      ]);
      return [
        ...own,
        "action",
        "connectionId",
        "timeoutSeconds",
        "queueTimeoutSeconds",
        "onAgentLost",
        "retry.maxAttempts",
        ...(node.retry === undefined ? [] : ["retry.backoffSeconds"]),
        ...[...names].map((name) => `params.${name}`),
      ];
    }
    case "condition":
      return [...own, "when"];
    case "forEach":
      return [...own, "items", "concurrency"];
    case "delay":
      return [...own, "seconds"];
    case "approval":
      return [...own, "message", "timeoutSeconds", "by", "approvers.roles", "approvers.people"];
    case "workflow":
      return [...own, "workflowId", "variables"];
    case "errorHandler":
      return own;
  }
}

/** The same of a trigger's form. */
export function shownTriggerPaths(trigger: Trigger): string[] {
  switch (trigger.type) {
    case "webhook":
      return ["type"];
    case "manual":
      return ["type", "inputs"];
    case "incident":
      return ["type", "events", ...(trigger.conditions === undefined ? [] : ["conditions"])];
    case "cron":
      return ["type", "expression", "timezone"];
  }
}
