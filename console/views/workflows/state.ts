import type { workflows } from "../../strings/en/workflows.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";

export type WorkflowState = keyof typeof workflows.states;

/** The one state to show for a workflow. A manual trigger is always usable, so such a workflow is always live. */
export function stateOf(
  workflow: Pick<WorkflowView, "published" | "active" | "autoDisabledAt" | "trigger">,
): WorkflowState {
  if (!workflow.published) return "draft";
  if (workflow.autoDisabledAt !== null) return "switchedOff";
  return workflow.active || workflow.trigger.type === "manual" ? "live" : "deactivated";
}
