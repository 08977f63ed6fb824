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
import { connections } from "../../strings/en/connections.ts";

const text = connections.remove;

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
        toastSuccess(text.done(name));
        navigate("/connections");
        queries.removeQueries({ queryKey: [PATH, { path: { id } }] });
      },
    },
  );
  const keepLabel = text.keep;
  const perform = (force: boolean) =>
    remove.mutate(
      { force },
      {
        onError: async (error) => {
          const isUsed = !force && error instanceof ApiProblem && error.code === "conflict";
          if (!isUsed) return toastFailure(text.failed(name), asPageError(error));
          const { data } = await users.refetch();
          const published = (data?.byConnection.get(id) ?? []).filter((workflow) => workflow.published);
          const body = (
            <Stack gap="sm">
              {published.length === 0 ? (
                <Text size="sm">{error.message}</Text>
              ) : (
                <WorkflowLinks workflows={published} aside />
              )}
              <Text size="sm">{text.used.effect}</Text>
            </Stack>
          );
          const labels = { title: text.used.title(name), confirmLabel: text.used.confirm, keepLabel };
          if (await confirm({ ...labels, body, danger: true })) perform(true);
        },
      },
    );
  const begin = async () => {
    const labels = { title: text.title(name), confirmLabel: text.confirm, keepLabel };
    if (await confirm({ ...labels, body: text.effect, danger: true })) perform(false);
  };
  return { isPending: remove.isPending, begin: () => void begin() };
}
