import { useEffect } from "react";
import { useList, useRead } from "../../api/queries.ts";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";

const EVERY_MS = 10_000;
const VERSIONS_PER_PAGE = 20;

/** A workflow, kept fresh while it is shown. */
export function useWorkflow(id: string) {
  return useRead("/api/v1/automation/workflows/{id}", { path: { id } }, { everyMs: EVERY_MS });
}

/** The versions of a workflow, newest first. Read again when an unknown version is live. */
export function useVersions({ id, publishedVersionId }: Pick<WorkflowView, "id" | "publishedVersionId">) {
  const list = useList("/api/v1/automation/workflows/{id}/versions", {
    path: { id },
    query: { limit: VERSIONS_PER_PAGE },
  });
  const { items, refetch } = list;
  const isBehind =
    items !== undefined && publishedVersionId !== null && !items.some((version) => version.id === publishedVersionId);
  useEffect(() => {
    // One read per change of the live version, which is among the newest.
    if (isBehind) void refetch();
  }, [isBehind, publishedVersionId, refetch]);
  return list;
}

export type Versions = ReturnType<typeof useVersions>;

/** The published version: null without one, undefined while it is unknown. */
export function liveVersion(
  { publishedVersionId }: Pick<WorkflowView, "publishedVersionId">,
  versions: readonly WorkflowVersionView[] | undefined,
): WorkflowVersionView | null | undefined {
  return publishedVersionId === null ? null : versions?.find(({ id }) => id === publishedVersionId);
}
