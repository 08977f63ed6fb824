import { Badge, Group, Tooltip } from "@mantine/core";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { workflows as text } from "../../strings/en/workflows.ts";
import { stateOf } from "./state.ts";
import type { WorkflowState } from "./state.ts";

const COLORS = {
  live: "teal",
  deactivated: "yellow",
  switchedOff: "red",
  draft: "gray",
} as const satisfies Record<WorkflowState, string>;

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
        <State color={COLORS[state]} label={text.states[state]} hint={text.stateHints[state]} />
      )}
      {length === 0 ? null : <State color="yellow" label={text.unfinished.label} hint={text.unfinished.hint(length)} />}
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
