import { isSameDraft } from "../model/same.ts";
import type { Draft } from "../model/commands.ts";

interface Known {
  draft: Draft;
  revision: number;
  /** What is edited here began at this revision, and the service had a later one already: saving has to ask. */
  isBehind: boolean;
}

/** What becomes of it when the service is read to have another revision than the one known here. */
export function judgeFresh(
  fresh: { draft: Draft; revision: number },
  known: Known,
  isDirty: boolean,
): "nothing" | "noted" | "taken" | "conflict" {
  if (fresh.revision <= known.revision) return "nothing";
  // Only what has nothing to do with the draft was changed: it was activated, or a webhook key was made.
  if (!known.isBehind && isSameDraft(fresh.draft, known.draft)) return "noted";
  return isDirty ? "conflict" : "taken";
}
