import { List, Stack, Text, Title } from "@mantine/core";
import type { MissedRunsView } from "../../../schema/contract/cron.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { useList } from "../../api/queries.ts";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import { zonedTime } from "../../strings/time.ts";
import { ReadState } from "../../ui/states.tsx";

const text = workflowTriggers.schedule;

/** The latest runs that were due and did not run. */
export function MissedRuns({ workflow, timezone }: { workflow: WorkflowView; timezone: string }) {
  const list = useList("/api/v1/automation/workflows/{id}/missed-runs", {
    path: { id: workflow.id },
    query: { limit: 20 },
  });
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {text.missed.title}
      </Title>
      <ReadState read={{ data: list.items, error: list.error, refetch: list.refetch }}>
        {(missed) =>
          missed.length === 0 ? (
            <Text size="sm">{text.missed.none}</Text>
          ) : (
            <>
              <Text size="sm" c="dimmed">
                {text.missed.why}
              </Text>
              <List size="sm" spacing={4}>
                {missed.map((gap) => (
                  <List.Item key={gap.firstDueAt}>{gapLabel(gap, timezone)}</List.Item>
                ))}
              </List>
              {list.hasNextPage ? <Text size="xs">{text.missed.onlyLatest}</Text> : null}
            </>
          )
        }
      </ReadState>
    </Stack>
  );
}

function gapLabel({ reason, firstDueAt, lastDueAt, count }: MissedRunsView, timezone: string): string {
  if (reason === "queue_full") return text.missed.queueFull(count, zonedTime(firstDueAt, timezone));
  if (count === 1) return text.missed.one(zonedTime(firstDueAt, timezone));
  return text.missed.several(count, zonedTime(firstDueAt, timezone), zonedTime(lastDueAt, timezone));
}
