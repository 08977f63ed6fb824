import type { WorkflowView } from "../../../../schema/contract/management.ts";

/** A message about what starts a published, active workflow. No one can call a webhook without a key. */
export function startsNow({ trigger, webhookKey }: Pick<WorkflowView, "trigger" | "webhookKey">): string {
  if (trigger.type === "webhook" && webhookKey === null) {
    return "It is active, but its webhook has no key yet. Generate one on the workflow's page, under Webhook.";
  }
  return trigger.type === "manual" ? "It can now be run manually." : "Its trigger is now active.";
}
