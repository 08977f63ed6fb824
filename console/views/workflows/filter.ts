import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { TriggerType } from "../../../schema/contract/workflow.ts";
import { stateOf } from "./state.ts";
import type { WorkflowState } from "./state.ts";
import { triggerLabel } from "./labels.ts";

export interface WorkflowFilter {
  text: string;
  trigger: TriggerType | null;
  state: WorkflowState | null;
  tag: string | null;
}

export const NO_FILTER: WorkflowFilter = { text: "", trigger: null, state: null, tag: null };

type Shown = Pick<
  WorkflowView,
  "id" | "name" | "description" | "tags" | "trigger" | "published" | "active" | "autoDisabledAt" | "webhookKey"
>;

/** Whether a workflow matches a filter. Every word of the text must occur in its name, description, tags, trigger or id. */
export function passesFilter(workflow: Shown, { text, trigger, state, tag }: WorkflowFilter): boolean {
  if (trigger !== null && workflow.trigger.type !== trigger) return false;
  if (state !== null && stateOf(workflow) !== state) return false;
  if (tag !== null && !workflow.tags.includes(tag)) return false;
  const { name, description, tags, id, webhookKey } = workflow;
  const texts = [name, description, ...tags, triggerLabel(workflow.trigger), id, webhookKey];
  const all = texts.join("\n").toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => all.includes(word));
}

export function isFiltering({ text, trigger, state, tag }: WorkflowFilter): boolean {
  return text.trim() !== "" || trigger !== null || state !== null || tag !== null;
}
