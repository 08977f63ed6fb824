import { useLocation } from "wouter";
import { ApiProblem } from "../../api/problem.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { confirm } from "../../ui/confirm.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { useDelete, useToastRefused, useVerb } from "./mutations.ts";

/** The commands of a workflow's page. Those that stop something ask first; each reports its result. */
export function useDetailCommands(workflow: WorkflowView) {
  const [, navigate] = useLocation();
  const toastRefused = useToastRefused();
  const publish = useVerb("publish");
  const unpublish = useVerb("unpublish");
  const activate = useVerb("activate");
  const deactivate = useVerb("deactivate");
  const remove = useDelete();

  const perform = (verb: typeof publish, done: string, failed: string) =>
    verb.mutate(workflow, {
      onSuccess: () => toastSuccess(done),
      onError: (error) => toastRefused(failed, error),
    });

  const askUnpublish = async () => {
    const sure = await confirm({
      title: `Unpublish “${workflow.name}”?`,
      body: "It cannot be started from now on, and workflows that call it fail. Current runs finish. The draft and all versions are kept.",
      confirmLabel: "Unpublish",
      keepLabel: "Keep published",
      danger: true,
    });
    if (sure) perform(unpublish, "The workflow is unpublished.", "The workflow was not unpublished");
  };

  const doRemove = async (force: boolean): Promise<void> => {
    try {
      await remove.mutateAsync({ id: workflow.id, revision: workflow.revision, force });
      toastSuccess(`“${workflow.name}” was deleted.`);
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

  const askRemove = async () => {
    const sure = await confirm({
      title: `Delete “${workflow.name}”?`,
      body: `The draft and all versions are deleted and cannot be restored here.${
        workflow.webhookKey === null ? "" : " The webhook answers 404."
      } Current runs finish, and past runs stay visible.`,
      confirmLabel: "Delete",
      keepLabel: "Keep workflow",
      danger: true,
    });
    if (sure) await doRemove(false);
  };

  return {
    publish: {
      pending: publish.isPending,
      ask: () => perform(publish, published(workflow), "The workflow was not published"),
    },
    activate: {
      pending: activate.isPending,
      ask: () => perform(activate, activated(workflow), "The workflow was not activated"),
    },
    deactivate: {
      pending: deactivate.isPending,
      ask: () => perform(deactivate, "Deactivated. It can still be run manually.", "The workflow was not deactivated"),
    },
    unpublish: { pending: unpublish.isPending, ask: () => void askUnpublish() },
    remove: { pending: remove.isPending, ask: () => void askRemove() },
  };
}

function published({ active, trigger }: WorkflowView): string {
  if (active || trigger.type === "manual") return "The workflow is published.";
  return "The workflow is published. Its trigger starts it once it is active.";
}

function activated({ published }: WorkflowView): string {
  return published
    ? "The workflow is active: its trigger starts it."
    : "The workflow is active. Its trigger starts it once it is published.";
}
