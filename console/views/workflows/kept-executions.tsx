import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { useRead } from "../../api/queries.ts";
import { serviceNow } from "../../api/service-clock.ts";
import { retention } from "../../strings/en/retention.ts";
import { exactTime } from "../../strings/time.ts";

const text = retention.workflow;

/** How long a workflow's executions are kept, and what a shorter period will delete. */
export function KeptExecutions({ workflow }: { workflow: WorkflowView }) {
  const { retention: own, retentionFormer: former } = workflow;
  return (
    <>
      {own === null
        ? text.bySettings(
            <Anchor key="settings" component={Link} href="/settings/retention" inherit>
              {text.settings}
            </Anchor>,
          )
        : text.own(own.executionDays, own.failedDays)}
      {former === null || Date.parse(former.until) <= serviceNow() ? null : (
        <Pending workflow={workflow} former={former} />
      )}
    </>
  );
}

function Pending({
  workflow: { id, retention: own },
  former,
}: {
  workflow: WorkflowView;
  former: NonNullable<WorkflowView["retentionFormer"]>;
}) {
  const days = Object.entries(own ?? {}).map(([name, value]) => [name, String(value)]);
  const preview = useRead("/api/v1/automation/retention/preview", {
    query: { workflowId: id, ...Object.fromEntries(days) },
  });
  const due = preview.data?.kinds.filter(({ due: { rows } }) => rows > 0) ?? [];
  return (
    <Text size="sm" c="dimmed">
      {text.pending(exactTime(former.until), former.executionDays, former.failedDays)}{" "}
      {due.length === 0 ? null : text.thenDeletes(due)}
    </Text>
  );
}
