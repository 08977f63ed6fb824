import { useDisclosure } from "@mantine/hooks";
import { useLocation } from "wouter";
import { ApiProblem } from "../../api/problem.ts";
import { draftOf } from "../../../schema/contract/draft.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Fix } from "../../../schema/contract/problem.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { confirm } from "../../ui/confirm.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import type { DraftProblem } from "../../workflow-forms/draft-problems.ts";
import { applyFix } from "../designer/model/fix.ts";
import type { ExecutionsChoice } from "./delete-dialog.tsx";
import { startsNow } from "./starts-now.ts";
import { useDelete, useReplaceDraft, useRestoreDeleted, useToastDone, useToastRefused, useVerb } from "./mutations.ts";

/** The commands of a workflow's page. Each acts at once, and its toast offers to undo it; publishing asks first. */
export function useDetailCommands(workflow: WorkflowView) {
  const toastRefused = useToastRefused();
  const toastDone = useToastDone();
  const [, navigate] = useLocation();
  const [isPublishing, dialog] = useDisclosure(false);
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
        opened: isPublishing,
        onClose: dialog.close,
        pending: publish.isPending,
        onOpen: ({ path }: DraftProblem) =>
          navigate(`/workflows/${workflow.id}/edit?problem=${encodeURIComponent(path)}`),
        onPublish: (message: string) =>
          perform(publish, (after) => publishing.done.publish(startsNow(after)), publishing.failed.publish, message),
        onFix: (fix: Fix) =>
          replace.mutate(
            { id: workflow.id, revision: workflow.revision, draft: applyFix(draftOf(workflow), fix) },
            { onError: (error) => toastRefused(publishing.failed.fix, error) },
          ),
      },
    },
    activate: {
      pending: activate.isPending,
      ask: () => perform(activate, (after) => publishing.done.activate(startsOnce(after)), publishing.failed.activate),
    },
    deactivate: {
      pending: deactivate.isPending,
      ask: () => perform(deactivate, () => publishing.done.deactivate, publishing.failed.deactivate),
    },
    unpublish: {
      pending: unpublish.isPending,
      ask: () => perform(unpublish, () => publishing.done.unpublish, publishing.failed.unpublish),
    },
    remove,
  };
}

function startsOnce(workflow: WorkflowView): string {
  return workflow.published ? startsNow(workflow) : publishing.starts.oncePublished;
}

/** Asks what becomes of the executions, and again when published workflows call it. */
function useRemove(workflow: WorkflowView) {
  const [isAsking, asking] = useDisclosure(false);
  const [, navigate] = useLocation();
  const toastRefused = useToastRefused();
  const remove = useDelete();
  const restore = useRestoreDeleted();
  const { id, name, revision } = workflow;
  const takeBack = async () => {
    try {
      await restore.mutateAsync(id);
      toastSuccess(text.deleting.restored(name), { about: id });
    } catch (error) {
      toastRefused(text.deleting.notRestored, error);
    }
  };
  const doRemove = async (executions: ExecutionsChoice, force = false): Promise<void> => {
    try {
      await remove.mutateAsync({ id, revision, executions, ...(force ? { force: "true" } : {}) });
      toastSuccess(text.deleting.done(name), {
        about: id,
        undo: () => void takeBack(),
        stays: true,
      });
      navigate("/workflows");
    } catch (error) {
      asking.close();
      const inUse = !force && error instanceof ApiProblem && error.status === 409;
      if (!inUse) {
        toastRefused(text.deleting.failed, error);
        return;
      }
      const sure = await confirm({
        title: text.deleting.inUse.title,
        body: error.message,
        confirmLabel: text.deleting.inUse.confirm,
        keepLabel: text.deleting.inUse.keep,
        danger: true,
      });
      if (sure) await doRemove(executions, true);
    }
  };
  return {
    ask: asking.open,
    dialog: isAsking
      ? {
          name,
          isPending: remove.isPending,
          close: asking.close,
          remove: (executions: ExecutionsChoice) => void doRemove(executions),
        }
      : null,
  };
}
