import type { RuleScope } from "../../../schema/contract/notification-rule.ts";
import type { ActiveRule, AlertEvent } from "./event.ts";

/** Whether a rule reports an event. */
export function applies({ rule, since }: ActiveRule, event: AlertEvent): boolean {
  if (event.on !== rule.on || event.at < since) return false;
  if ("scope" in rule && !isInScope(rule.scope, event.workflow)) return false;
  if (rule.on !== "run_failed") return true;
  return event.failure === "recovered" ? rule.recovered : rule.when === "every" || event.failure === "first";
}

/** Whether a rule with this scope reports events of a workflow; null: of an event that has none. */
export function isInScope({ everything, tags, workflowIds }: RuleScope, workflow: AlertEvent["workflow"]): boolean {
  if (everything === true) return true;
  if (workflow === null) return false;
  return workflowIds?.includes(workflow.id) === true || tags?.some((tag) => workflow.tags.includes(tag)) === true;
}
