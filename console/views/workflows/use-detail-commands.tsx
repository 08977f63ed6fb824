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
      body: "From the next request on, nothing and nobody starts it, and workflows that call it fail. What runs goes on to its end. The draft and all versions are kept.",
      confirmLabel: "Unpublish",
      danger: true,
    });
    if (sure) perform(unpublish, "It is not published any more.", "It was not unpublished");
  };

  const doRemove = async (force: boolean): Promise<void> => {
    try {
      await remove.mutateAsync({ id: workflow.id, revision: workflow.revision, force });
      toastSuccess(`“${workflow.name}” was deleted.`);
      navigate("/workflows");
    } catch (error) {
      const inUse = !force && error instanceof ApiProblem && error.status === 409;
      if (!inUse) {
        toastRefused("It was not deleted", error);
        return;
      }
      const sure = await confirm({
        title: "Other workflows call it",
        body: error.message,
        confirmLabel: "Delete all the same",
        danger: true,
      });
      if (sure) await doRemove(true);
    }
  };

  const askRemove = async () => {
    const sure = await confirm({
      title: `Delete “${workflow.name}”?`,
      body: `Nothing starts it any more, and its draft and versions cannot be had back here${
        workflow.webhookKey === null ? "" : "; its webhook answers 404 from then on"
      }. What runs goes on to its end, and its executions stay to be read.`,
      confirmLabel: "Delete",
      danger: true,
    });
    if (sure) await doRemove(false);
  };

  return {
    publish: {
      pending: publish.isPending,
      ask: () => perform(publish, published(workflow), "It was not published"),
    },
    activate: {
      pending: activate.isPending,
      ask: () => perform(activate, activated(workflow), "It was not activated"),
    },
    deactivate: {
      pending: deactivate.isPending,
      ask: () => perform(deactivate, "It is inactive: only people start it.", "It was not deactivated"),
    },
    unpublish: { pending: unpublish.isPending, ask: () => void askUnpublish() },
    remove: { pending: remove.isPending, ask: () => void askRemove() },
  };
}

function published({ active, trigger }: WorkflowView): string {
  if (active || trigger.type === "manual") return "It is published.";
  return "It is published. Its trigger starts it once it is active.";
}

function activated({ published }: WorkflowView): string {
  return published
    ? "It is active: its trigger starts it."
    : "It is active. Its trigger starts it once it is published.";
}
