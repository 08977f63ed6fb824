import { TRIGGER_KEY } from "../../../../schema/contract/workflow.ts";
import type { Trigger } from "../../../../schema/contract/workflow.ts";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.trigger;

/** The id of the trigger among the nodes of the canvas. */
export const TRIGGER_ID = TRIGGER_KEY;

/** A short description of what starts the workflow. */
export function describeTrigger(trigger: Trigger): string {
  switch (trigger.type) {
    case "webhook":
      return text.webhook;
    case "incident":
      return trigger.events.map((event) => event.replace("incident.", "")).join(", ");
    case "cron":
      return text.schedule(trigger.expression, trigger.timezone ?? "UTC");
    case "failure":
      return trigger.tags === undefined ? text.failure : text.failureTagged(trigger.tags);
    case "manual": {
      const names = Object.keys(trigger.inputs ?? {});
      return names.length === 0 ? text.manual : text.asks(names);
    }
  }
}
