import { Text } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import { ApiProblem } from "../../api/problem.ts";

/** A workflow's name, from the known names or from a separate request. */
export function WorkflowName({ id, names }: { id: string; names: ReadonlyMap<string, string> | null }) {
  const known = names?.get(id);
  // The separate request waits until the list is read and does not have the workflow.
  const asked = useRead(
    "/api/v1/automation/workflows/{id}",
    { path: { id } },
    { enabled: names !== null && known === undefined },
  );
  const name = known ?? asked.data?.name;
  if (name !== undefined) return <>{name}</>;
  const isGone = asked.error instanceof ApiProblem && asked.error.status === 404;
  return (
    <Text component="span" inherit c="dimmed" title={id}>
      {isGone ? "a deleted workflow" : "a workflow"}
    </Text>
  );
}
