import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { executions as text } from "../../strings/en/executions.ts";

const PATH = "/api/v1/automation/workflows/{id}";

/** The name of a workflow: null when the workflow was deleted, undefined while the name is unknown or `id` is null. */
export function useWorkflowName(id: string | null): string | null | undefined {
  const { data } = useQuery({
    queryKey: [PATH, "name", id],
    queryFn: async ({ signal }) => {
      try {
        return (await call("GET", PATH, { path: { id: id ?? "" } }, { signal })).name;
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return null;
        throw error;
      }
    },
    enabled: id !== null,
    // Names rarely change, and every row asks.
    staleTime: 60_000,
  });
  return data;
}

/** A workflow's name, or "a deleted workflow" with its id as the tooltip. */
export function WorkflowName({ id }: { id: string }) {
  const name = useWorkflowName(id);
  if (name === undefined) return <span aria-busy="true">…</span>;
  if (name !== null) return <>{name}</>;
  return (
    <Text component="span" inherit c="dimmed" title={id}>
      {text.deletedWorkflow}
    </Text>
  );
}
