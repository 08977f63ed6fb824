import { useQuery } from "@tanstack/react-query";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { callPage } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";

const PATH = "/api/v1/automation/workflows/{id}/versions";

export interface RanVersion {
  number: number;
  definition: Definition;
  /** Whether it is the newest published version. */
  newest: boolean;
}

/** The version that an execution ran, or null when it was deleted. Versions never change. */
export function useRanVersion(workflowId: string, versionId: string) {
  return useQuery<RanVersion | null>({
    queryKey: [PATH, "one", workflowId, versionId],
    queryFn: async ({ signal }) => {
      let cursor: string | null = null;
      let first = true;
      try {
        do {
          const page: Awaited<ReturnType<typeof readPage>> = await readPage(workflowId, cursor, signal);
          const index = page.items.findIndex(({ id }) => id === versionId);
          const version = page.items[index];
          if (version !== undefined) {
            return { number: version.number, definition: version.definition, newest: first && index === 0 };
          }
          cursor = page.nextCursor;
          first = false;
        } while (cursor !== null);
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
      }
      return null;
    },
    staleTime: 60_000,
    // The graph is drawn again when the object changes, so the same version must stay the same object.
    structuralSharing: true,
  });
}

function readPage(workflowId: string, cursor: string | null, signal: AbortSignal) {
  // Definitions are large, and the version is mostly one of the newest.
  return callPage(PATH, { path: { id: workflowId }, query: { limit: 10 } }, cursor, { signal });
}
