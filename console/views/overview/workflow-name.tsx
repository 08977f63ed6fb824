import { Text } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import { ApiProblem } from "../../api/problem.ts";

/** A workflow's name: one that is known by now, or asked for alone. */
export function WorkflowName({ id, names }: { id: string; names: ReadonlyMap<string, string> | null }) {
  const known = names?.get(id);
  // Asked for alone only once the list is there and does not have it.
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
