import type { WorkflowView } from "../../../schema/contract/management.ts";

export type WorkflowState = "live" | "paused" | "switchedOff" | "draft";

/** The states in a list's filter, in the order of the choice. */
export const STATE_LABELS = {
  live: "Live",
  paused: "Paused",
  switchedOff: "Switched off",
  draft: "Draft",
} as const satisfies Record<WorkflowState, string>;

export const STATE_COLORS = {
  live: "teal",
  paused: "yellow",
  switchedOff: "red",
  draft: "gray",
} as const satisfies Record<WorkflowState, string>;

/** The meaning of each state. */
export const STATE_HINTS = {
  live: "A version is published and can be started.",
  paused: "Published, but deactivated: the trigger does not start it. It can be run manually.",
  switchedOff: "The schedule was switched off after five failed runs in a row.",
  draft: "Not published: it does not run.",
} as const satisfies Record<WorkflowState, string>;

/** The one state to show for a workflow. A manual trigger is always usable, so such a workflow is never paused. */
export function stateOf(
  workflow: Pick<WorkflowView, "published" | "active" | "autoDisabledAt" | "trigger">,
): WorkflowState {
  if (!workflow.published) return "draft";
  if (workflow.autoDisabledAt !== null) return "switchedOff";
  return workflow.active || workflow.trigger.type === "manual" ? "live" : "paused";
}
