import { useDisclosure } from "@mantine/hooks";
import { useLocation } from "wouter";
import { ApiProblem } from "../../api/problem.ts";
import { draftOf } from "../../../schema/contract/draft.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Fix } from "../../../schema/contract/problem.ts";
import { confirm } from "../../ui/confirm.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { applyFix } from "../designer/model/fix.ts";
import { startsNow } from "./starts-now.ts";
import { useDelete, useReplaceDraft, useRestoreDeleted, useToastDone, useToastRefused, useVerb } from "./mutations.ts";

/** The commands of a workflow's page. Each acts at once, and its toast offers to undo it; publishing asks first. */
export function useDetailCommands(workflow: WorkflowView) {
  const toastRefused = useToastRefused();
  const toastDone = useToastDone();
  const [publishing, dialog] = useDisclosure(false);
  const publish = useVerb("publish");
  const unpublish = useVerb("unpublish");
  const activate = useVerb("activate");
  const deactivate = useVerb("deactivate");
  const replace = useReplaceDraft();
  const remove = useRemove(workflow);

  const perform = (verb: typeof publish, done: (after: WorkflowView) => string, failed: string, message?: string) =>
    verb.mutate(
      { ...workflow, ...(message === undefined ? {} : { publish: { message } }) },
      {
        onSuccess: (after) => {
          dialog.close();
          toastDone(done(after), workflow, after);
        },
        onError: (error) => toastRefused(failed, error),
      },
    );

  return {
    publish: {
      pending: publish.isPending,
      ask: dialog.open,
      dialog: {
        opened: publishing,
        onClose: dialog.close,
        pending: publish.isPending,
        onPublish: (message: string) =>
          perform(publish, (after) => `Published. ${startsNow(after)}`, "The workflow was not published", message),
        onFix: (fix: Fix) =>
          replace.mutate(
            { id: workflow.id, revision: workflow.revision, draft: applyFix(draftOf(workflow), fix) },
            { onError: (error) => toastRefused("The draft was not fixed", error) },
          ),
      },
    },
    activate: {
      pending: activate.isPending,
      ask: () => perform(activate, (after) => `Activated. ${startsOnce(after)}`, "The workflow was not activated"),
    },
    deactivate: {
      pending: deactivate.isPending,
      ask: () =>
        perform(deactivate, () => "Deactivated. It can still be run manually.", "The workflow was not deactivated"),
    },
    unpublish: {
      pending: unpublish.isPending,
      ask: () =>
        perform(
          unpublish,
          () => "Unpublished. Nothing starts it, and workflows that call it fail.",
          "The workflow was not unpublished",
        ),
    },
    remove,
  };
}

function startsOnce(workflow: WorkflowView): string {
  return workflow.published ? startsNow(workflow) : "Its trigger starts it once it is published.";
}

/** Deletes at once, or after a confirmation when published workflows call it. */
function useRemove(workflow: WorkflowView) {
  const [, navigate] = useLocation();
  const toastRefused = useToastRefused();
  const remove = useDelete();
  const restore = useRestoreDeleted();
  const { id, name, revision } = workflow;
  const takeBack = async () => {
    try {
      await restore.mutateAsync(id);
      toastSuccess(`“${name}” was restored.`, { about: id });
    } catch (error) {
      toastRefused("The workflow was not restored", error);
    }
  };
  const doRemove = async (force: boolean): Promise<void> => {
    try {
      await remove.mutateAsync({ id, revision, force });
      toastSuccess(`“${name}” was deleted. It can be restored for 24 hours.`, {
        about: id,
        undo: () => void takeBack(),
        stays: true,
      });
      navigate("/workflows");
    } catch (error) {
      const inUse = !force && error instanceof ApiProblem && error.status === 409;
      if (!inUse) {
        toastRefused("The workflow was not deleted", error);
        return;
      }
      const sure = await confirm({
        title: "Other workflows call this workflow",
        body: error.message,
        confirmLabel: "Delete anyway",
        keepLabel: "Keep workflow",
        danger: true,
      });
      if (sure) await doRemove(true);
    }
  };
  return { pending: remove.isPending, ask: () => void doRemove(false) };
}
