import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { TriggerType } from "../../../schema/contract/workflow.ts";
import { statesOf } from "./state.ts";
import type { WorkflowState } from "./state.ts";
import { triggerLabel } from "./labels.ts";

export interface WorkflowFilter {
  words: string;
  trigger: TriggerType | null;
  state: WorkflowState | null;
}

type Shown = Pick<
  WorkflowView,
  "id" | "name" | "description" | "trigger" | "published" | "active" | "autoDisabledAt" | "webhookKey"
>;

/** Whether a filter lets a workflow through: every word stands somewhere in its name, description, trigger or id. */
export function passesFilter(workflow: Shown, { words, trigger, state }: WorkflowFilter): boolean {
  if (trigger !== null && workflow.trigger.type !== trigger) return false;
  if (state !== null && !statesOf(workflow).includes(state)) return false;
  const texts = [workflow.name, workflow.description, triggerLabel(workflow.trigger), workflow.id, workflow.webhookKey];
  const text = texts.join("\n").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

export function isFiltering({ words, trigger, state }: WorkflowFilter): boolean {
  return words.trim() !== "" || trigger !== null || state !== null;
}
