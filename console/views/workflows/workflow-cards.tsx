import { Card, Group, Stack, Text } from "@mantine/core";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { LastOutcome } from "./last-outcome.tsx";
import { StateBadges } from "./state-badges.tsx";
import { WhyDisabled, WorkflowName } from "./workflow-table.tsx";
import { triggerLabel } from "./labels.ts";

/** The table's rows as cards, for a phone. */
export function WorkflowCards({ workflows }: { workflows: readonly WorkflowView[] }) {
  return (
    <Stack gap="xs" role="list" aria-label="Workflows">
      {workflows.map((workflow) => (
        <Card key={workflow.id} withBorder padding="sm" role="listitem">
          <Stack gap={6}>
            <WorkflowName workflow={workflow} />
            <Text size="sm">{triggerLabel(workflow.trigger)}</Text>
            <StateBadges workflow={workflow} />
            <WhyDisabled workflow={workflow} />
            <Group gap="md">
              <LastOutcome execution={workflow.lastExecution} />
              {workflow.nextRunAt === null ? null : (
                <Text size="sm" component="div">
                  Next run <TimeAgo at={workflow.nextRunAt} />
                </Text>
              )}
            </Group>
          </Stack>
        </Card>
      ))}
    </Stack>
  );
}
