import type { ConditionGroup } from "../../../schema/contract/condition.ts";
import type { ForEachRules } from "../../../schema/contract/for-each.ts";
import type { Node, Trigger } from "../../../schema/contract/workflow.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { spelledDuration } from "../../strings/time.ts";
import { groupLabel } from "../../graph/condition-label.ts";
import { scheduleLabel } from "../../workflow-forms/cron-labels.ts";
import { common } from "../../strings/en/common.ts";

/** A short label of a trigger: "Webhook", "Every 5 minutes (UTC)", "incident.created", "Manual". */
export function triggerLabel(trigger: Trigger): string {
  switch (trigger.type) {
    case "webhook":
    case "manual":
      return common.triggers[trigger.type];
    case "cron":
      return scheduleLabel(trigger);
    case "failure":
      return trigger.tags === undefined ? common.triggers.failure : text.failureTagged(trigger.tags);
    case "incident": {
      const events = trigger.events.join(", ");
      return hasConditions(trigger.conditions) ? text.withConditions(events) : events;
    }
  }
}

export function hasConditions(group: ConditionGroup | undefined): group is ConditionGroup {
  return group !== undefined && group.conditions.length > 0;
}

/** The names of the connections and workflows in a definition, by id. An unknown name is replaced by the id. */
export interface Names {
  connections: ReadonlyMap<string, string>;
  workflows: ReadonlyMap<string, string>;
  limits: ReadonlyMap<string, string>;
}

/** A node's work in one line. */
export function nodeLabel(node: Node, { connections, workflows }: Names): string {
  switch (node.type) {
    case "action":
      return node.connectionId === undefined
        ? node.action
        : text.steps.on(node.action, connections.get(node.connectionId) ?? node.connectionId, node.target);
    case "condition":
      return text.steps.condition(groupLabel(node.when));
    case "forEach":
      return text.steps.forEach(node.items, node.body.nodes.length);
    case "delay":
      return text.steps.delay(spelledDuration(node.seconds));
    case "approval":
      return text.steps.approval(node.message);
    case "workflow":
      return text.steps.workflow(workflows.get(node.workflowId) ?? node.workflowId);
    case "errorHandler":
      return text.steps.errorHandler;
  }
}

/** How a forEach goes through its items, one rule for each field that is set. */
export function forEachLabels(rules: ForEachRules): string[] {
  const { concurrency, batchSize, pauseSeconds, maxFailures, continueOnError, check } = rules;
  const of = text.steps.rules;
  return [
    concurrency === undefined ? null : of.concurrency(concurrency),
    batchSize === undefined ? null : of.batchSize(batchSize),
    pauseSeconds === undefined || pauseSeconds === 0 ? null : of.pause(spelledDuration(pauseSeconds)),
    maxFailures === undefined ? null : of.maxFailures(maxFailures),
    continueOnError === true ? of.continueOnError : null,
    check === undefined ? null : of.check(groupLabel(check)),
  ].filter((label) => label !== null);
}
