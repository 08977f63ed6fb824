import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import { confirm } from "../../ui/confirm.tsx";
import { asPageError } from "../../ui/conflict.ts";
import { toastSuccess, toastFailure } from "../../ui/toast.tsx";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { WorkflowLinks } from "./used-by.tsx";
import { useWorkflowUsers } from "./use-workflow-users.ts";

const PATH = "/api/v1/automation/connections/{id}";

/** Deletes a connection after a confirmation. When published workflows use it, lists them and asks again. */
export function useDelete({ id, name, revision }: ConnectionView) {
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const users = useWorkflowUsers();
  const remove = useAction(
    ({ force }: { force: boolean }) =>
      call("DELETE", PATH, { path: { id }, query: force ? { force: "true" } : {} }, { ifMatch: revision }),
    {
      refreshes: ["/api/v1/automation/connections"],
      onDone: () => {
        toastSuccess(`${name} was deleted.`);
        navigate("/connections");
        queries.removeQueries({ queryKey: [PATH, { path: { id } }] });
      },
    },
  );
  const keepLabel = "Keep connection";
  const perform = (force: boolean) =>
    remove.mutate(
      { force },
      {
        onError: async (error) => {
          const isUsed = !force && error instanceof ApiProblem && error.code === "conflict";
          if (!isUsed) return toastFailure(`${name} was not deleted`, asPageError(error));
          const { data } = await users.refetch();
          const published = (data?.byConnection.get(id) ?? []).filter((workflow) => workflow.published);
          const body = (
            <Stack gap="sm">
              {published.length === 0 ? (
                <Text size="sm">{error.message}</Text>
              ) : (
                <WorkflowLinks workflows={published} aside />
              )}
              <Text size="sm">
                Steps of these workflows that use the connection will fail. Change or unpublish the workflows first.
              </Text>
            </Stack>
          );
          const title = `Published workflows use ${name}`;
          if (await confirm({ title, body, confirmLabel: "Delete anyway", keepLabel, danger: true })) perform(true);
        },
      },
    );
  const begin = async () => {
    const body =
      "This cannot be undone. Each agent deletes the credential with its next synchronisation. The secret itself stays valid on the target.";
    const title = `Delete ${name}?`;
    if (await confirm({ title, body, confirmLabel: "Delete connection", keepLabel, danger: true })) perform(false);
  };
  return { isPending: remove.isPending, begin: () => void begin() };
}
