import { Anchor, Box, Card, Group, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link } from "wouter";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { StatusBadge } from "../../ui/status.tsx";
import { Elapsed, TimeAgo } from "../../ui/time.tsx";
import { StartedByView } from "./started-by-view.tsx";
import { WorkflowName } from "./workflow-name.tsx";

/** Executions as rows, or as cards on a narrow screen. */
export function ExecutionTable({ rows }: { rows: readonly ExecutionSummary[] }) {
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  return narrow ? <Cards rows={rows} /> : <Rows rows={rows} />;
}

function Rows({ rows }: { rows: readonly ExecutionSummary[] }) {
  return (
    <Table highlightOnHover verticalSpacing="xs" layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={110}>Status</Table.Th>
          <Table.Th>Workflow</Table.Th>
          <Table.Th w={210}>Started by</Table.Th>
          <Table.Th w={130}>Started</Table.Th>
          <Table.Th w={100}>Took</Table.Th>
          <Table.Th w="28%">Error</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((execution) => (
          <Table.Tr key={execution.id}>
            <Table.Td>
              <StatusBadge status={execution.status} />
            </Table.Td>
            <Table.Td>
              <ExecutionLink execution={execution} />
            </Table.Td>
            <Table.Td>
              <StartedByView execution={execution} />
            </Table.Td>
            <Table.Td>
              <TimeAgo at={execution.startedAt} />
            </Table.Td>
            <Table.Td>
              <Elapsed from={execution.startedAt} to={execution.finishedAt} />
            </Table.Td>
            <Table.Td>
              <ErrorText execution={execution} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Cards({ rows }: { rows: readonly ExecutionSummary[] }) {
  return (
    <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: "none" }}>
      {rows.map((execution) => (
        <Card key={execution.id} withBorder p="sm" component="li">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <ExecutionLink execution={execution} />
            <Box flex="none">
              <StatusBadge status={execution.status} />
            </Box>
          </Group>
          <Text size="sm" component="div">
            <StartedByView execution={execution} />
          </Text>
          <Text size="sm" c="dimmed" component="div">
            <TimeAgo at={execution.startedAt} />, {execution.finishedAt === null ? "running for " : "took "}
            <Elapsed from={execution.startedAt} to={execution.finishedAt} />
          </Text>
          <ErrorText execution={execution} />
        </Card>
      ))}
    </Stack>
  );
}

/** A link with the workflow's name. The other columns distinguish its executions. */
function ExecutionLink({ execution }: { execution: ExecutionSummary }) {
  return (
    <Anchor component={Link} href={`/executions/${execution.id}`} fw={600} size="sm">
      <WorkflowName id={execution.workflowId} />
    </Anchor>
  );
}

function ErrorText({ execution: { error, status } }: { execution: ExecutionSummary }) {
  if (error === null) return null;
  return (
    <Text
      size="sm"
      c={status === "cancelled" ? "dimmed" : "var(--mantine-color-error)"}
      lineClamp={2}
      title={error.message}
    >
      {error.message}
    </Text>
  );
}
