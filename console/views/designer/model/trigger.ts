import { TRIGGER_KEY } from "../../../../schema/contract/workflow.ts";
import type { Trigger, TriggerType } from "../../../../schema/contract/workflow.ts";

/** The id of the trigger among the nodes of the canvas. */
export const TRIGGER_ID = TRIGGER_KEY;

export const TRIGGER_LABELS: Record<TriggerType, string> = {
  webhook: "Webhook",
  incident: "Incident",
  cron: "Schedule",
  manual: "Manual",
};

/** A short description of what starts the workflow. */
export function describeTrigger(trigger: Trigger): string {
  switch (trigger.type) {
    case "webhook":
      return "when its address is called";
    case "incident":
      return trigger.events.map((event) => event.replace("incident.", "")).join(", ");
    case "cron":
      return `${trigger.expression}${trigger.timezone === undefined ? " UTC" : ` ${trigger.timezone}`}`;
    case "manual": {
      const names = Object.keys(trigger.inputs ?? {});
      return names.length === 0 ? "when a person starts it" : `asks for ${names.join(", ")}`;
    }
  }
}
