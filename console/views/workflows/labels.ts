import { count } from "../../strings/format.ts";
import type { ConditionGroup } from "../../../schema/contract/condition.ts";
import type { Node, Trigger, TriggerType } from "../../../schema/contract/workflow.ts";
import { groupLabel } from "../../graph/condition-label.ts";
import { scheduleLabel } from "../../workflow-forms/cron-labels.ts";

/** The triggers that lists filter by. */
export const TRIGGER_LABELS = {
  webhook: "Webhook",
  cron: "Schedule",
  incident: "Incident",
  manual: "Manual",
} as const satisfies Record<TriggerType, string>;

/** A short label of a trigger: "Webhook", "Every 5 minutes (UTC)", "incident.created", "Manual". */
export function triggerLabel(trigger: Trigger): string {
  switch (trigger.type) {
    case "webhook":
    case "manual":
      return TRIGGER_LABELS[trigger.type];
    case "cron":
      return scheduleLabel(trigger);
    case "incident":
      return `${trigger.events.join(", ")}${hasConditions(trigger.conditions) ? " (with conditions)" : ""}`;
  }
}

function hasConditions(group: ConditionGroup | undefined): boolean {
  return group !== undefined && group.conditions.length > 0;
}

/** The names of the connections and workflows in a definition, by id. An unknown name is replaced by the id. */
export interface Names {
  connections: ReadonlyMap<string, string>;
  workflows: ReadonlyMap<string, string>;
}

/** A node's work in one line. */
export function nodeLabel(node: Node, { connections, workflows }: Names): string {
  switch (node.type) {
    case "action": {
      const on =
        node.connectionId === undefined ? "" : ` on ${connections.get(node.connectionId) ?? node.connectionId}`;
      return `${node.action}${on}`;
    }
    case "condition":
      return `If ${groupLabel(node.when)}`;
    case "forEach":
      return `For each of ${node.items}: ${node.body.nodes.length === 1 ? "1 step" : `${node.body.nodes.length} steps`}`;
    case "delay":
      return `Wait ${secondsLabel(node.seconds)}`;
    case "approval":
      return `Ask for approval: ${node.message}`;
    case "workflow":
      return `Run the workflow ${workflows.get(node.workflowId) ?? node.workflowId}`;
    case "errorHandler":
      return "When a failure is not handled elsewhere";
  }
}

export function secondsLabel(seconds: number): string {
  const units = [
    [86_400, "day"],
    [3_600, "hour"],
    [60, "minute"],
  ] as const;
  for (const [size, unit] of units) {
    if (seconds >= size && seconds % size === 0) return count(seconds / size, unit);
  }
  return count(seconds, "second");
}
