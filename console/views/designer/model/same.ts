import type { WorkflowView } from "../../../../schema/contract/management.ts";
import type { Draft } from "./commands.ts";

/** What of a workflow the designer edits. */
export function draftOf({ name, description, trigger, definition }: WorkflowView): Draft {
  return { name, ...(description === null ? {} : { description }), trigger, definition };
}

/** Whether two drafts say the same, whatever the order of their fields. */
export function isSameDraft(a: Draft, b: Draft): boolean {
  return canonical(a) === canonical(b);
}

export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    const entries: [string, unknown][] = Object.entries(member);
    // No description and an empty one are saved as the same.
    return Object.fromEntries(
      entries
        .filter(([key, inner]) => !(key === "description" && (inner === null || inner === "")))
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}
