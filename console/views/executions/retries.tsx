import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { useRead } from "../../api/queries.ts";

/** How many executions since this one are searched for its retries. */
const SEARCHED_MAX = 100;

/** The retries of this execution with their status, so that no one retries it twice. */
export function Retries({ execution }: { execution: ExecutionSummary }) {
  const isOver = isTerminalExecution(execution.status);
  const query = { workflowId: execution.workflowId, from: execution.startedAt, limit: SEARCHED_MAX };
  const later = useRead("/api/v1/automation/executions", { query }, { enabled: isOver });
  const retries = later.data?.items.filter(({ retryOf }) => retryOf === execution.id) ?? [];
  if (retries.length === 0) return null;
  return (
    <Text size="sm" fw={600}>
      Retried:{" "}
      {retries.map(({ id, status }, index) => (
        <span key={id}>
          {index === 0 ? "" : ", "}
          <Anchor component={Link} href={`/executions/${id}`} inherit>
            {status}
          </Anchor>
        </span>
      ))}
    </Text>
  );
}
