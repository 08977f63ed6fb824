import type { Node, Trigger } from "../../schema/contract/workflow.ts";
import { fieldsOf } from "./param-fields.ts";

/** The paths of a node's fields that show problems. Other problems are shown above the form. */
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
        "target",
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
      return [
        ...own,
        "items",
        "concurrency",
        "maxFailures",
        "continueOnError",
        "batchSize",
        "pauseSeconds",
        ...(node.check === undefined ? [] : ["check"]),
      ];
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

/** The paths of a trigger's fields that show problems. */
export function shownTriggerPaths(trigger: Trigger): string[] {
  switch (trigger.type) {
    case "webhook":
      return ["type", "payload", ...(trigger.payload === "body" ? ["headers", "query", "sensitive"] : [])];
    case "manual":
      return ["type", "inputs"];
    case "incident":
      return [
        "type",
        "events",
        ...(trigger.conditions === undefined ? [] : ["conditions"]),
        "coalesce.windowSeconds",
        ...(trigger.coalesce === undefined ? [] : ["coalesce.key"]),
      ];
    case "cron":
      return ["type", "expression", "timezone"];
    case "failure":
      return ["type", "tags"];
  }
}
