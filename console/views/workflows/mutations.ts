import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import type { WorkflowInput, WorkflowView } from "../../../schema/contract/management.ts";
import { toastFailure } from "../../ui/toast.tsx";

const ONE = "/api/v1/automation/workflows/{id}";
/** The reads that show workflows: each is repeated after a change of a workflow. */
export const SHOWS_WORKFLOWS = [ONE, "/api/v1/automation/workflows", `${ONE}/versions`] as const;

const VERBS = {
  publish: (id: string, ifMatch: number) => call("POST", `${ONE}/publish`, { path: { id }, body: {} }, { ifMatch }),
  unpublish: (id: string, ifMatch: number) => call("POST", `${ONE}/unpublish`, { path: { id } }, { ifMatch }),
  activate: (id: string, ifMatch: number) => call("POST", `${ONE}/activate`, { path: { id } }, { ifMatch }),
  deactivate: (id: string, ifMatch: number) => call("POST", `${ONE}/deactivate`, { path: { id } }, { ifMatch }),
} as const;

/** Publishes, unpublishes, activates or deactivates the shown revision. Fails when the workflow has changed since. */
export function useVerb(verb: keyof typeof VERBS) {
  return useAction((seen: Pick<WorkflowView, "id" | "revision">) => VERBS[verb](seen.id, seen.revision), {
    refreshes: SHOWS_WORKFLOWS,
  });
}

/** Replaces the shown revision of the draft. */
export function useReplaceDraft() {
  return useAction(
    ({ id, revision, draft }: { id: string; revision: number; draft: WorkflowInput }) =>
      call("PUT", ONE, { path: { id }, body: draft }, { ifMatch: revision }),
    { refreshes: SHOWS_WORKFLOWS },
  );
}

export function useDelete() {
  return useAction(
    ({ id, revision, force }: { id: string; revision: number; force: boolean }) =>
      call("DELETE", ONE, { path: { id }, query: force ? { force: "true" } : {} }, { ifMatch: revision }),
    { refreshes: ["/api/v1/automation/workflows"] },
  );
}

/**
 * Shows why a change failed. After a conflict the workflow is read again, so that a second attempt concerns the state
 * that the person sees.
 */
export function useToastRefused(): (title: string, error: unknown) => void {
  const queries = useQueryClient();
  return (title, error) => {
    if (error instanceof ApiProblem && error.status === 412) {
      toastFailure(
        title,
        new Error(
          "Another person changed this workflow meanwhile. The page now shows the current version: check it, then try again.",
        ),
      );
    } else toastFailure(title, error);
    if (error instanceof ApiProblem && (error.status === 412 || error.status === 409 || error.status === 404)) {
      for (const path of SHOWS_WORKFLOWS) void queries.invalidateQueries({ queryKey: [path] });
    }
  };
}
