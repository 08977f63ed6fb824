import { useLocation } from "wouter";
import { draftOf } from "../../../schema/contract/draft.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { toastSuccess } from "../../ui/toast.tsx";
import { useCreateDraft, useToastRefused } from "./mutations.ts";

const NAME_MAX_CHARS = 200;

/** Creates a workflow from the draft of another one, and opens it in the designer. */
export function useDuplicate() {
  const [, navigate] = useLocation();
  const toastRefused = useToastRefused();
  const create = useCreateDraft();
  return {
    pending: create.isPending,
    duplicate: (workflow: WorkflowView) =>
      create.mutate(
        { ...draftOf(workflow), name: nameOfCopy(workflow.name) },
        {
          onSuccess: ({ id, name }) => {
            toastSuccess(text.duplicated(name));
            navigate(`/workflows/${id}/edit`);
          },
          onError: (error) => toastRefused(text.notDuplicated, error),
        },
      ),
  };
}

export function nameOfCopy(name: string): string {
  return text.nameOfCopy(name).slice(0, NAME_MAX_CHARS).trimEnd();
}
