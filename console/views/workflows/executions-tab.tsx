import { Anchor, Stack, Table, Text } from "@mantine/core";
import { Link } from "wouter";
import { useList } from "../../api/queries.ts";
import type { ExecutionSummary, ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Elapsed, TimeAgo } from "../../ui/time.tsx";

const SHOWN = 20;
const EVERY_MS = 5_000;

/** The last executions of this workflow, with a link to the page with all of them. */
export function ExecutionsTab({ workflow }: { workflow: WorkflowView }) {
  const list = useList(
    "/api/v1/automation/executions",
    { query: { workflowId: workflow.id, limit: SHOWN } },
    { everyMs: EVERY_MS },
  );
  return (
    <ReadState read={{ data: list.items, error: list.error, refetch: list.refetch }}>
      {(executions) =>
        executions.length === 0 ? (
          <EmptyState title="No runs yet">
            Runs appear here after the trigger or a person has started the workflow.
          </EmptyState>
        ) : (
          <Stack gap="sm">
            <Table.ScrollContainer minWidth={560} type="native" tabIndex={0} aria-label="Executions">
              <Table verticalSpacing="xs" aria-label="Last executions">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Status</Table.Th>
                    <Table.Th>Started</Table.Th>
                    <Table.Th>Took</Table.Th>
                    <Table.Th>Started by</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {executions.map((execution) => (
                    <Row key={execution.id} execution={execution} />
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
            <Anchor component={Link} href={`/executions?workflowId=${workflow.id}`} size="sm">
              All runs of this workflow
            </Anchor>
          </Stack>
        )
      }
    </ReadState>
  );
}

function Row({ execution: { id, status, startedAt, finishedAt, trigger, error } }: { execution: ExecutionSummary }) {
  return (
    <Table.Tr>
      <Table.Td>
        <StatusBadge status={status} />
        {error === null ? null : (
          <Text size="xs" mt={4} lineClamp={2} maw={480} title={error.message}>
            {error.message}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Anchor component={Link} href={`/executions/${id}`} size="sm">
          <TimeAgo at={startedAt} />
        </Anchor>
      </Table.Td>
      <Table.Td>
        <Elapsed from={startedAt} to={finishedAt} />
      </Table.Td>
      <Table.Td>{startedBy(trigger)}</Table.Td>
    </Table.Tr>
  );
}

function startedBy(trigger: ExecutionTrigger): string {
  switch (trigger.type) {
    case "webhook":
      return "its webhook";
    case "cron":
      return "its schedule";
    case "incident":
      return "an incident";
    case "workflow":
      return "another workflow";
    case "manual":
      return trigger.by === null ? "a person" : trigger.by.replace(/^user:/u, "");
  }
}
