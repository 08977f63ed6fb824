import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { TriggerType } from "../../../schema/contract/workflow.ts";
import { stateOf } from "./state.ts";
import type { WorkflowState } from "./state.ts";
import { triggerLabel } from "./labels.ts";

export interface WorkflowFilter {
  text: string;
  trigger: TriggerType | null;
  state: WorkflowState | null;
}

type Shown = Pick<
  WorkflowView,
  "id" | "name" | "description" | "trigger" | "published" | "active" | "autoDisabledAt" | "webhookKey"
>;

/** Whether a workflow matches a filter. Every word of the text must occur in its name, description, trigger or id. */
export function passesFilter(workflow: Shown, { text, trigger, state }: WorkflowFilter): boolean {
  if (trigger !== null && workflow.trigger.type !== trigger) return false;
  if (state !== null && stateOf(workflow) !== state) return false;
  const texts = [workflow.name, workflow.description, triggerLabel(workflow.trigger), workflow.id, workflow.webhookKey];
  const all = texts.join("\n").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => all.includes(word));
}

export function isFiltering({ text, trigger, state }: WorkflowFilter): boolean {
  return text.trim() !== "" || trigger !== null || state !== null;
}
