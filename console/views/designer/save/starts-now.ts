import type { WorkflowView } from "../../../../schema/contract/management.ts";

/** What starts a published, active workflow from now on; a webhook without a key has nobody yet who can call it. */
export function startsNow({ trigger, webhookKey }: Pick<WorkflowView, "trigger" | "webhookKey">): string {
  if (trigger.type === "webhook" && webhookKey === null) {
    return "It is active, but its webhook has no key yet: generate one on the workflow's page, under Webhook.";
  }
  return trigger.type === "manual" ? "It can be run by hand from now on." : "Its trigger starts it from now on.";
}
