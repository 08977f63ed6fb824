import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import type { Input } from "../../api/operations.ts";
import type { WorkflowInput, WorkflowView } from "../../../schema/contract/management.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { toastFailure, toastSuccess } from "../../ui/toast.tsx";
import { undoSteps } from "./undo-steps.ts";
import type { StateBefore, UndoStep } from "./undo-steps.ts";

const ONE = "/api/v1/automation/workflows/{id}";
/** The reads that show workflows: each is repeated after a change of a workflow. */
export const SHOWS_WORKFLOWS = [ONE, "/api/v1/automation/workflows", `${ONE}/versions`] as const;

/** The message of a new version, or the id of an earlier one to publish again. */
type Publish = Input<"POST", `${typeof ONE}/publish`>["body"];

export const VERBS = {
  publish: (id: string, ifMatch: number, body: Publish = {}) =>
    call("POST", `${ONE}/publish`, { path: { id }, body }, { ifMatch }),
  unpublish: (id: string, ifMatch: number) => call("POST", `${ONE}/unpublish`, { path: { id } }, { ifMatch }),
  activate: (id: string, ifMatch: number) => call("POST", `${ONE}/activate`, { path: { id } }, { ifMatch }),
  deactivate: (id: string, ifMatch: number) => call("POST", `${ONE}/deactivate`, { path: { id } }, { ifMatch }),
} as const;

type Verb = keyof typeof VERBS;

/** Publishes, unpublishes, activates or deactivates the shown revision. Fails when the workflow has changed since. */
export function useVerb(verb: Verb) {
  return useAction(
    ({ id, revision, publish }: Pick<WorkflowView, "id" | "revision"> & { publish?: Publish }) =>
      VERBS[verb](id, revision, publish),
    { refreshes: SHOWS_WORKFLOWS },
  );
}

/** Confirms a command with a toast, which offers to undo it. */
export function useToastDone() {
  const toastRefused = useToastRefused();
  const undo = useAction(
    async ({ after, steps }: { after: WorkflowView; steps: readonly UndoStep[] }) => {
      let { revision } = after;
      for (const step of steps) {
        const publish = step.verb === "publish" ? step.publish : undefined;
        ({ revision } = await VERBS[step.verb](after.id, revision, publish));
      }
    },
    { refreshes: SHOWS_WORKFLOWS },
  );
  return (message: string, before: StateBefore, after: WorkflowView) => {
    const steps = undoSteps(before, after);
    const about = after.id;
    const takeBack = async () => {
      try {
        await undo.mutateAsync({ after, steps });
        toastSuccess(text.undone, { about });
      } catch (error) {
        toastRefused(text.notUndone, error);
      }
    };
    toastSuccess(message, { about, ...(steps.length === 0 ? {} : { undo: () => void takeBack() }) });
  };
}

/** Restores a deleted workflow. */
export function useRestoreDeleted() {
  return useAction((id: string) => call("POST", `${ONE}/restore`, { path: { id } }), { refreshes: SHOWS_WORKFLOWS });
}

/** Creates a workflow from a draft, with or without problems. */
export function useCreateDraft() {
  return useAction(
    (draft: WorkflowInput, options) =>
      call("POST", "/api/v1/automation/workflows", { body: { ...draft, draft: true } }, options),
    { refreshes: ["/api/v1/automation/workflows"] },
  );
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
    ({ id, revision, ...query }: { id: string; revision: number } & Input<"DELETE", typeof ONE>["query"]) =>
      call("DELETE", ONE, { path: { id }, query }, { ifMatch: revision }),
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
      toastFailure(title, new Error(text.changedMeanwhile));
    } else toastFailure(title, error);
    if (error instanceof ApiProblem && (error.status === 412 || error.status === 409 || error.status === 404)) {
      for (const path of SHOWS_WORKFLOWS) void queries.invalidateQueries({ queryKey: [path] });
    }
  };
}
