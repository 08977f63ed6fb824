import type { WorkflowView } from "../../../schema/contract/management.ts";

export type WorkflowState = "draft" | "published" | "active" | "inactive" | "autoDisabled";

/** What a list filters by, in the order in which it offers them. */
export const STATE_LABELS = {
  published: "Published",
  draft: "Draft",
  active: "Active",
  inactive: "Inactive",
  autoDisabled: "Auto-disabled",
} as const satisfies Record<WorkflowState, string>;

export const STATE_COLORS = {
  published: "teal",
  draft: "gray",
  active: "teal",
  inactive: "gray",
  autoDisabled: "red",
} as const satisfies Record<WorkflowState, string>;

/** What each state means, for whoever does not know. */
export const STATE_HINTS = {
  published: "There is a version that can run.",
  draft: "It is not published, so nothing runs it.",
  active: "Its trigger starts it, once it is published.",
  inactive: "Its trigger does not start it; people still can.",
  autoDisabled: "Its schedule was switched off after five runs in a row failed.",
} as const satisfies Record<WorkflowState, string>;

/**
 * The states that are shown of a workflow: whether there is something to run, and whether its trigger starts it. Nothing
 * but people starts a workflow by hand, so that it is inactive says nothing.
 */
export function statesOf(
  workflow: Pick<WorkflowView, "published" | "active" | "autoDisabledAt" | "trigger">,
): WorkflowState[] {
  const first: WorkflowState = workflow.published ? "published" : "draft";
  if (workflow.autoDisabledAt !== null) return [first, "autoDisabled"];
  if (workflow.active) return [first, "active"];
  return workflow.trigger.type === "manual" ? [first] : [first, "inactive"];
}
