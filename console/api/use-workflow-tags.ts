import { PAGE_SIZE_MAX } from "../../schema/limits.ts";
import { useAll } from "./use-all.ts";

/** The tags of all workflows, in order; `isWhole` is false while some are not read yet. */
export function useWorkflowTags(): { tags: string[]; isWhole: boolean } {
  const { items = [], isWhole } = useAll("/api/v1/automation/workflows", { query: { limit: PAGE_SIZE_MAX } });
  return { tags: [...new Set(items.flatMap(({ tags }) => tags))].toSorted(), isWhole };
}
