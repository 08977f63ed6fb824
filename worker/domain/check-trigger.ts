import type { FieldError } from "../../schema/contract/problem.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { keyProblems } from "./graph/trigger-key.ts";
import { cronProblems } from "./cron/index.ts";
import { incidentConditionProblems } from "./incident/conditions.ts";
import type { Steps } from "./steps.ts";
import { webhookProblems } from "./webhook-trigger.ts";

/** Problems with a trigger beyond its shape, each with its path below the trigger, such as `expression`. */
export function checkTrigger(trigger: Trigger, steps: Steps): FieldError[] {
  switch (trigger.type) {
    case "incident":
      return [
        ...(trigger.conditions === undefined ? [] : incidentConditionProblems(trigger.conditions, "conditions", steps)),
        ...keyProblems(trigger.coalesce?.key ?? "", "coalesce.key", trigger, steps),
      ];
    case "cron":
      return cronProblems(trigger);
    case "webhook":
      return webhookProblems(trigger);
    case "manual":
    case "failure":
      return [];
  }
}
