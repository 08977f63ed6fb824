import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";

/** Why calls of a workflow's webhook start no executions. Empty when they do, or while the reason is unknown. */
export function whyWebhookAnswers404(
  { published, active, autoDisabledAt }: Pick<WorkflowView, "published" | "active" | "autoDisabledAt">,
  live: Pick<WorkflowVersionView, "trigger"> | null | undefined,
): string[] {
  const reasons: string[] = [];
  if (!published) reasons.push("The workflow is not published. Publish it.");
  else if (live !== null && live !== undefined && live.trigger.type !== "webhook") {
    reasons.push("The published version has another trigger than a webhook. Publish the draft.");
  }
  if (!active) {
    reasons.push(
      autoDisabledAt === null
        ? "The workflow is not active. Activate it."
        : "The workflow was switched off. Activate it again.",
    );
  }
  return reasons;
}
