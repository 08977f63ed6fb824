import { Anchor, Table, Text } from "@mantine/core";
import { Link } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { LastOutcome } from "./last-outcome.tsx";
import { StateBadges } from "./state-badges.tsx";
import { triggerLabel } from "./labels.ts";
import classes from "./workflow-table.module.css";

/** Workflows as rows, for a wide screen. */
export function WorkflowTable({ workflows }: { workflows: readonly WorkflowView[] }) {
  return (
    <Table.ScrollContainer minWidth={900} type="native" tabIndex={0} aria-label="Workflows">
      <Table verticalSpacing="xs" highlightOnHover aria-label="Workflows">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">Name</Table.Th>
            <Table.Th>Trigger</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th className={classes["outcome"] ?? ""}>Last run</Table.Th>
            <Table.Th className={classes["short"] ?? ""}>Next run</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {workflows.map((workflow) => (
            <Table.Tr key={workflow.id}>
              <Table.Td>
                <WorkflowName workflow={workflow} />
              </Table.Td>
              <Table.Td>{triggerLabel(workflow.trigger)}</Table.Td>
              <Table.Td>
                <StateBadges workflow={workflow} />
                <WhyDisabled workflow={workflow} />
              </Table.Td>
              <Table.Td className={classes["outcome"] ?? ""}>
                <LastOutcome execution={workflow.lastExecution} />
              </Table.Td>
              <Table.Td className={classes["short"] ?? ""}>
                <TimeAgo at={workflow.nextRunAt} fallback="–" />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

export function WorkflowName({ workflow: { id, name, description } }: { workflow: WorkflowView }) {
  return (
    <>
      <Anchor component={Link} href={`/workflows/${id}`} fw={600}>
        {name}
      </Anchor>
      {description === null || description === "" ? null : (
        <Text size="xs" c="dimmed" lineClamp={1} title={description}>
          {description}
        </Text>
      )}
    </>
  );
}

/** Why the service switched a workflow off. */
export function WhyDisabled({ workflow: { autoDisabledAt, autoDisableReason } }: { workflow: WorkflowView }) {
  if (autoDisabledAt === null || autoDisableReason === null) return null;
  return (
    <Text size="xs" mt={4} lineClamp={2} maw={420} title={autoDisableReason}>
      {autoDisableReason}
    </Text>
  );
}
