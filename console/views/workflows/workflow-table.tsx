import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { LastOutcome } from "./last-outcome.tsx";
import { StateBadge } from "./state-badge.tsx";
import { triggerLabel } from "./labels.ts";

const COLUMNS: readonly Column<WorkflowView>[] = [
  {
    name: "Name",
    isLong: true,
    onCard: "title",
    width: "30%",
    cell: (workflow) => (
      <>
        <Anchor component={Link} href={pageOf(workflow)} fw={600}>
          {workflow.name}
        </Anchor>
        {workflow.description === null || workflow.description === "" ? null : (
          <Text size="xs" c="dimmed" lineClamp={1} title={workflow.description}>
            {workflow.description}
          </Text>
        )}
      </>
    ),
  },
  { name: "Trigger", isLong: true, cell: ({ trigger }) => triggerLabel(trigger) },
  { name: "State", isLong: true, onCard: "beside", cell: (workflow) => <State workflow={workflow} /> },
  {
    name: "Last run",
    cell: ({ lastExecution }) => <LastOutcome execution={lastExecution} />,
  },
  { name: "Next run", cell: ({ nextRunAt }) => (nextRunAt === null ? null : <TimeAgo at={nextRunAt} />) },
];

export function WorkflowTable({ workflows }: { workflows: readonly WorkflowView[] }) {
  return (
    <ListTable
      label="Workflows"
      rows={workflows}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      hrefOf={pageOf}
      minWidth={900}
    />
  );
}

function pageOf({ id }: WorkflowView): string {
  return `/workflows/${id}`;
}

/** The state, and why the service switched the workflow off. */
function State({ workflow }: { workflow: WorkflowView }) {
  const { autoDisabledAt, autoDisableReason: reason } = workflow;
  return (
    <>
      <StateBadge workflow={workflow} />
      {autoDisabledAt === null || reason === null ? null : (
        <Text size="xs" mt={4} lineClamp={2} title={reason}>
          {reason}
        </Text>
      )}
    </>
  );
}
