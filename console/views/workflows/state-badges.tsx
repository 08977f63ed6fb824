import { Badge, Group, Tooltip } from "@mantine/core";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { STATE_COLORS, STATE_HINTS, STATE_LABELS, statesOf } from "./state.ts";

/** Whether a version is published, and whether the trigger starts it. */
export function StateBadges({
  workflow,
}: {
  workflow: Pick<WorkflowView, "published" | "active" | "autoDisabledAt" | "trigger">;
}) {
  return (
    <Group gap={4}>
      {statesOf(workflow).map((state) => (
        <Tooltip key={state} label={STATE_HINTS[state]} withArrow>
          <Badge color={STATE_COLORS[state]} variant="light" radius="sm" tt="none">
            {STATE_LABELS[state]}
          </Badge>
        </Tooltip>
      ))}
    </Group>
  );
}
