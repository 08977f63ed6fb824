import { Badge, Group, Tooltip } from "@mantine/core";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { count } from "../../strings/format.ts";
import { STATE_COLORS, STATE_HINTS, STATE_LABELS, stateOf } from "./state.ts";

/** Whether a workflow can run, whether its trigger starts it, and whether its draft has problems. */
export function StateBadges({
  workflow,
}: {
  workflow: Parameters<typeof stateOf>[0] & Pick<WorkflowView, "problems">;
}) {
  const state = stateOf(workflow);
  const { length } = workflow.problems;
  return (
    <Group gap={4}>
      {state === "draft" && length > 0 ? null : (
        <State color={STATE_COLORS[state]} label={STATE_LABELS[state]} hint={STATE_HINTS[state]} />
      )}
      {length === 0 ? null : (
        <State
          color="yellow"
          label="Unfinished draft"
          hint={`The draft has ${count(length, "problem")}. Fix them to publish it.`}
        />
      )}
    </Group>
  );
}

function State({ color, label, hint }: { color: string; label: string; hint: string }) {
  return (
    <Tooltip label={hint} withArrow>
      <Badge color={color} variant="light" radius="sm" tt="none">
        {label}
      </Badge>
    </Tooltip>
  );
}
