import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import { scheduleLabel } from "../../workflow-forms/cron-labels.ts";
import { groupLabel } from "../../graph/condition-label.ts";

type StartedBy = Pick<WorkflowView, "trigger" | "active" | "webhookKey">;

/** What starts the published version from now on, in one sentence; a second one when something is missing for it. */
export function startsNow({ trigger, active, webhookKey }: StartedBy): string {
  if (trigger.type === "manual") return "People can run it, and other workflows can call it.";
  if (!active) return "The workflow is not active: only people and other workflows start it.";
  if (trigger.type === "webhook" && webhookKey === null) {
    return "The webhook has no key yet, so nothing can call it. Generate one on the workflow's page, under Webhook.";
  }
  switch (trigger.type) {
    case "webhook":
      return "Each call of its webhook starts it.";
    case "cron":
      return `Its schedule starts it: ${scheduleLabel(trigger)}.`;
    case "incident":
      return incidentSentence(trigger);
  }
}

function incidentSentence({ events, conditions }: Extract<Trigger, { type: "incident" }>): string {
  const each = `Each ${events.join(" or ")} event`;
  const hasConditions = conditions !== undefined && conditions.conditions.length > 0;
  return hasConditions ? `${each} starts it when ${groupLabel(conditions)}.` : `${each} starts it.`;
}
