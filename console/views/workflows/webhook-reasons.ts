import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";

const text = workflowTriggers.webhook.reasons;

/** Why calls of a workflow's webhook start no executions. Empty when they do, or while the reason is unknown. */
export function whyWebhookAnswers404(
  { published, active, autoDisabledAt }: Pick<WorkflowView, "published" | "active" | "autoDisabledAt">,
  live: Pick<WorkflowVersionView, "trigger"> | null | undefined,
): string[] {
  const reasons: string[] = [];
  if (!published) reasons.push(text.notPublished);
  else if (live !== null && live !== undefined && live.trigger.type !== "webhook") {
    reasons.push(text.otherTrigger);
  }
  if (!active) {
    reasons.push(autoDisabledAt === null ? text.notActive : text.switchedOff);
  }
  return reasons;
}
