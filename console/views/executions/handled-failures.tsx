import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { failedNodes } from "./failed-nodes.ts";

/** A warning for an execution that succeeded because its failures were handled: some of its work may not be done. */
export function HandledFailures({
  execution,
  titleOf,
}: {
  execution: ExecutionView;
  titleOf: (nodeId: string) => string;
}) {
  const failed = execution.status === "succeeded" ? failedNodes(execution.nodeRuns) : [];
  if (failed.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Succeeded with handled failures">
      <Text size="sm">
        Failed steps, handled by the workflow: {failed.map(titleOf).join(", ")}. See the details below.
      </Text>
    </Alert>
  );
}
