import { ActionIcon, Anchor, Menu, Text } from "@mantine/core";
import { IconCopy, IconDots } from "@tabler/icons-react";
import { Link } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { ACTIONS, ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { Tags } from "./tags.tsx";
import { useDuplicate } from "./duplicate.ts";
import { LastOutcome } from "./last-outcome.tsx";
import { StateBadges } from "./state-badge.tsx";
import { triggerLabel } from "./labels.ts";

const COLUMNS: readonly Column<WorkflowView>[] = [
  {
    name: common.name,
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
        <Tags tags={workflow.tags} />
      </>
    ),
  },
  { name: common.trigger, isLong: true, cell: ({ trigger }) => triggerLabel(trigger) },
  { name: text.state, isLong: true, onCard: "beside", cell: (workflow) => <State workflow={workflow} /> },
  {
    name: text.lastRun,
    cell: ({ lastExecution }) => <LastOutcome execution={lastExecution} />,
  },
  { name: text.nextRun, cell: ({ nextRunAt }) => (nextRunAt === null ? null : <TimeAgo at={nextRunAt} />) },
];

const COMMANDS: Column<WorkflowView> = {
  name: ACTIONS,
  onCard: "below",
  cell: (workflow) => <Commands workflow={workflow} />,
};

export function WorkflowTable({ workflows }: { workflows: readonly WorkflowView[] }) {
  const mayWrite = useCan("automation:write");
  return (
    <ListTable
      label={common.workflows}
      rows={workflows}
      columns={mayWrite ? [...COLUMNS, COMMANDS] : COLUMNS}
      keyOf={({ id }) => id}
      hrefOf={pageOf}
      minWidth={900}
    />
  );
}

function Commands({ workflow }: { workflow: WorkflowView }) {
  const { duplicate, pending } = useDuplicate();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={text.list.actionsFor(workflow.name)} loading={pending}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={() => duplicate(workflow)}>
          {text.duplicate}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
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
      <StateBadges workflow={workflow} />
      {autoDisabledAt === null || reason === null ? null : (
        <Text size="xs" mt={4} lineClamp={2} title={reason}>
          {reason}
        </Text>
      )}
    </>
  );
}
