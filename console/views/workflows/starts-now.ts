import type { WorkflowView } from "../../../schema/contract/management.ts";
import { scheduleLabel } from "../../workflow-forms/cron-labels.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { groupLabel } from "../../graph/condition-label.ts";
import { hasConditions } from "./labels.ts";

const text = publishing.starts;

type StartedBy = Pick<WorkflowView, "trigger" | "active" | "webhookKey">;

/** What starts the published version from now on, in one sentence; a second one when something is missing for it. */
export function startsNow({ trigger, active, webhookKey }: StartedBy): string {
  if (trigger.type === "manual") return text.manual;
  if (!active) return text.inactive;
  if (trigger.type === "webhook" && webhookKey === null) return text.noKey;
  switch (trigger.type) {
    case "webhook":
      return text.webhook;
    case "cron":
      return text.cron(scheduleLabel(trigger));
    case "failure":
      return trigger.tags === undefined ? text.failure : text.failureTagged(trigger.tags);
    case "incident":
      return hasConditions(trigger.conditions)
        ? text.incidentIf(trigger.events, groupLabel(trigger.conditions))
        : text.incident(trigger.events);
  }
}
