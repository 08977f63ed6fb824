import { diff } from "@codemirror/merge";
import type { ChangeSpec } from "@codemirror/state";
import { isSameDraft } from "../model/same.ts";
import type { Draft } from "../model/commands.ts";
import { readDraft } from "./draft-text.ts";
import type { Names } from "../../../../worker/domain/workflow-file/file-of.ts";

/** What becomes of the text when the draft has changed somewhere else. */
export type TextFollows =
  /** It says the same already, perhaps in other words: it stays as somebody wrote it. */
  | { type: "stays" }
  /** It is being written, and cannot be read: it is not destroyed, and somebody says which of the two counts. */
  | { type: "differs" }
  | { type: "changes"; changes: readonly ChangeSpec[] };

/** Whether a text follows a draft. `isWritten`: somebody has written in it since it was last the draft's. */
export function followDraft(text: string, wanted: string, draft: Draft, names: Names, isWritten: boolean): TextFollows {
  if (text === wanted) return { type: "stays" };
  if (isWritten) {
    const read = readDraft(text, names);
    if (!read.ok) return { type: "differs" };
    if (isSameDraft(read.draft, draft)) return { type: "stays" };
  }
  return { type: "changes", changes: changesBetween(text, wanted) };
}

/** Only what differs is replaced, so that the cursor, and what is scrolled to, stay where they are. */
export function changesBetween(text: string, wanted: string): ChangeSpec[] {
  return diff(text, wanted, { timeout: 100 }).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: wanted.slice(fromB, toB),
  }));
}
