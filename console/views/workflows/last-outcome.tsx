import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "wouter";
import type { LastExecution } from "../../../schema/contract/management.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { StatusBadge } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { shownStatus } from "../executions/run-status.ts";

/** The outcome and time of a workflow's newest execution, with a link to it. */
export function LastOutcome({ execution }: { execution: LastExecution | null }) {
  if (execution === null) {
    return (
      <Text size="sm" c="dimmed">
        {text.neverRan}
      </Text>
    );
  }
  return (
    <Group gap={6} wrap="nowrap">
      <StatusBadge status={shownStatus(execution, execution.isWaiting)} />
      <Anchor component={Link} href={`/executions/${execution.id}`} size="sm">
        <TimeAgo at={execution.finishedAt ?? execution.startedAt} />
      </Anchor>
    </Group>
  );
}
