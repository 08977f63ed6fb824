import { Badge, Tooltip } from "@mantine/core";
import { STATE_COLORS, STATE_HINTS, STATE_LABELS, stateOf } from "./state.ts";

/** Whether a workflow can run, and whether its trigger starts it. */
export function StateBadge({ workflow }: { workflow: Parameters<typeof stateOf>[0] }) {
  const state = stateOf(workflow);
  return (
    <Tooltip label={STATE_HINTS[state]} withArrow>
      <Badge color={STATE_COLORS[state]} variant="light" radius="sm" tt="none">
        {STATE_LABELS[state]}
      </Badge>
    </Tooltip>
  );
}
