import type { WorkflowView } from "../../../schema/contract/management.ts";

export type WorkflowState = "draft" | "published" | "active" | "inactive" | "autoDisabled";

/** The states in a list's filter, in the order of the choice. */
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

/** The meaning of each state. */
export const STATE_HINTS = {
  published: "A version is published and can run.",
  draft: "Not published: it does not run.",
  active: "The trigger starts it once it is published.",
  inactive: "The trigger does not start it. It can be run manually.",
  autoDisabled: "The schedule was switched off after five failed runs in a row.",
} as const satisfies Record<WorkflowState, string>;

/**
 * The states to show for a workflow: whether a version is published, and whether the trigger starts it. A manual
 * trigger is always usable, so "inactive" would mean nothing there.
 */
export function statesOf(
  workflow: Pick<WorkflowView, "published" | "active" | "autoDisabledAt" | "trigger">,
): WorkflowState[] {
  const first: WorkflowState = workflow.published ? "published" : "draft";
  if (workflow.autoDisabledAt !== null) return [first, "autoDisabled"];
  if (workflow.active) return [first, "active"];
  return workflow.trigger.type === "manual" ? [first] : [first, "inactive"];
}
