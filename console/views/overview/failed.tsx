import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { ReadState } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { More } from "./running.tsx";
import { byWorkflow } from "./failures.ts";
import type { Failures } from "./failures.ts";
import { Section } from "./section.tsx";
import { countOf } from "./paging.ts";
import type { useLiveExecutions } from "./use-live-executions.ts";
import { WorkflowName } from "./workflow-name.tsx";

const SHOWN = 6;

type Names = ReadonlyMap<string, string> | null;

/** The workflows that failed in the last day with their newest error, newest failure first. */
export function Failed({ read, names }: { read: ReturnType<typeof useLiveExecutions>["failed"]; names: Names }) {
  const { data } = read;
  const title =
    data === undefined
      ? "Failed in the last day"
      : `Failed in the last day: ${countOf(data.items.length, data.isWhole)}`;
  return (
    <Section
      title={title}
      aside={
        <Anchor component={Link} href="/executions?status=failed" size="sm">
          All failed executions
        </Anchor>
      }
    >
      <ReadState read={read}>
        {({ items, isWhole }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing has failed in the last 24 hours.
            </Text>
          ) : (
            <Stack gap="sm">
              {byWorkflow(items)
                .slice(0, SHOWN)
                .map((failures) => (
                  <FailedRow key={failures.newest.workflowId} failures={failures} isWhole={isWhole} names={names} />
                ))}
              <More count={byWorkflow(items).length - SHOWN} of="workflows" />
            </Stack>
          )
        }
      </ReadState>
    </Section>
  );
}

function FailedRow({ failures, isWhole, names }: { failures: Failures; isWhole: boolean; names: Names }) {
  const { newest, count } = failures;
  const all = new URLSearchParams({ workflowId: newest.workflowId, status: "failed" });
  return (
    <Stack gap={2}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Anchor component={Link} href={`/executions/${newest.id}`} fw={500} size="sm">
          <WorkflowName id={newest.workflowId} names={names} />
        </Anchor>
        <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          <TimeAgo at={newest.finishedAt} />
        </Text>
      </Group>
      <Text size="sm" c="dimmed" lineClamp={2}>
        {newest.error?.message ?? "No error message."}
      </Text>
      {count === 1 ? null : (
        <Anchor component={Link} href={`/executions?${all}`} size="sm">
          failed {countOf(count, isWhole)} times
        </Anchor>
      )}
    </Stack>
  );
}
