import { Anchor, Box, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { useRead } from "../../api/queries.ts";
import { StatusBadge } from "../../ui/status.tsx";
import { ReadState } from "../../ui/states.tsx";
import { Elapsed } from "../../ui/time.tsx";
import { currentNode } from "./current-node.ts";
import { Section } from "./section.tsx";
import { countOf } from "./paging.ts";
import type { useLiveExecutions } from "./use-live-executions.ts";
import { WorkflowName } from "./workflow-name.tsx";

type Names = ReadonlyMap<string, string> | null;

const SHOWN = 6;
/** Only a job's pool knows why the job waits, so the stream does not report it. */
const EVERY_MS = 5_000;

/** The running executions with their current node. */
export function Running({ read, names }: { read: ReturnType<typeof useLiveExecutions>["running"]; names: Names }) {
  const { data } = read;
  const title = data === undefined ? "Running now" : `Running now: ${countOf(data.items.length, data.isWhole)}`;
  return (
    <Section
      title={title}
      aside={
        <Anchor component={Link} href="/executions?status=running" size="sm">
          All running executions
        </Anchor>
      }
    >
      <ReadState read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing is running.
            </Text>
          ) : (
            <Stack gap="sm">
              {items.slice(0, SHOWN).map((execution) => (
                <RunningRow key={execution.id} execution={execution} names={names} />
              ))}
              <More count={items.length - SHOWN} />
            </Stack>
          )
        }
      </ReadState>
    </Section>
  );
}

function RunningRow({
  execution: { id, workflowId, startedAt },
  names,
}: {
  execution: ExecutionSummary;
  names: Names;
}) {
  const { data } = useRead("/api/v1/automation/executions/{id}", { path: { id } }, { everyMs: EVERY_MS });
  const now = data === undefined ? null : currentNode(data.nodeRuns);
  return (
    <Stack gap={2}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Anchor component={Link} href={`/executions/${id}`} fw={500} size="sm">
          <WorkflowName id={workflowId} names={names} />
        </Anchor>
        <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          for <Elapsed from={startedAt} to={null} />
        </Text>
      </Group>
      {now === null ? null : (
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Box flex="none">
            <StatusBadge status={now.waits === null ? "running" : "waiting"} />
          </Box>
          <Text size="sm" c="dimmed" lineClamp={2}>
            <Text component="span" inherit fw={500}>
              {now.nodeId}
            </Text>
            {now.others > 0 ? ` and ${now.others} more` : ""}
            {now.waits === null ? "" : `: ${now.waits}`}
          </Text>
        </Group>
      )}
    </Stack>
  );
}

/** How many rows are not shown. */
export function More({ count, of = "" }: { count: number; of?: string }) {
  if (count <= 0) return null;
  return (
    <Text size="sm" c="dimmed">
      and {count} more {of}
    </Text>
  );
}
