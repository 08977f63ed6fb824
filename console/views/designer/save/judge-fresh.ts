import { isSameDraft } from "../model/same.ts";
import type { Draft } from "../model/commands.ts";

interface Known {
  draft: Draft;
  revision: number;
  /** Restored changes began at this revision, but the service has a later one: saving must ask. */
  isBehind: boolean;
}

/**
 * How to handle a draft that was just read from the service: `taken` replaces the draft here, `conflict` asks the
 * person, `noted` takes only the new revision.
 */
export function judgeFresh(
  fresh: { draft: Draft; revision: number },
  known: Known,
  isDirty: boolean,
): "nothing" | "noted" | "taken" | "conflict" {
  if (fresh.revision <= known.revision) return "nothing";
  // The draft is unchanged: the workflow was activated, or got a webhook key.
  if (!known.isBehind && isSameDraft(fresh.draft, known.draft)) return "noted";
  return isDirty ? "conflict" : "taken";
}
