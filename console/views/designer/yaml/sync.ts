import { diff } from "@codemirror/merge";
import type { ChangeSpec } from "@codemirror/state";
import { isSameDraft } from "../model/same.ts";
import type { Draft } from "../model/commands.ts";
import { readDraft } from "./draft-text.ts";
import type { Names } from "../../../../worker/domain/workflow-file/file-of.ts";

/** What happens to the text when the draft was changed elsewhere. */
export type TextFollows =
  /** The text already means the same draft: it stays as it was written. */
  | { type: "stays" }
  /** The text is being written and cannot be read: it is kept, and the person chooses between it and the draft. */
  | { type: "differs" }
  | { type: "changes"; changes: readonly ChangeSpec[] };

/** How a text follows a draft. `isWritten`: the person has typed since the text was last written from the draft. */
export function followDraft(
  text: string,
  expected: string,
  draft: Draft,
  names: Names,
  isWritten: boolean,
): TextFollows {
  if (text === expected) return { type: "stays" };
  if (isWritten) {
    const read = readDraft(text, names);
    if (!read.ok) return { type: "differs" };
    if (isSameDraft(read.draft, draft)) return { type: "stays" };
  }
  return { type: "changes", changes: changesBetween(text, expected) };
}

/** Replaces only differing parts, so that the cursor and the scroll position stay. */
export function changesBetween(text: string, expected: string): ChangeSpec[] {
  return diff(text, expected, { timeout: 100 }).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: expected.slice(fromB, toB),
  }));
}
