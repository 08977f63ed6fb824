import { withoutEmptyFields } from "../../../../schema/contract/draft.ts";
import type { Draft } from "./commands.ts";

/** Whether two drafts are equal. The order of their fields does not matter. */
export function isSameDraft(a: Draft, b: Draft): boolean {
  return canonical(withoutEmptyFields(a)) === canonical(withoutEmptyFields(b));
}

export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    const entries: [string, unknown][] = Object.entries(member);
    return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
