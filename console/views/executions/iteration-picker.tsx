import { ActionIcon, Button, Group, Select, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import type { NodeRunView } from "../../../schema/contract/execution.ts";
import type { ForEachNode } from "../../../schema/contract/workflow.ts";
import { nodeTitle } from "../../graph/describe-node.ts";
import { NodeStatus } from "../../graph/node-status.tsx";
import { nodeRunStatuses } from "../../graph/node-statuses.ts";
import { graph } from "../../strings/en/graph.ts";
import { notStarted } from "./iterations.ts";
import type { Iteration } from "./iterations.ts";
import { countByStatus } from "./node-states.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import classes from "./executions.module.css";

interface IterationPickerProps {
  node: ForEachNode;
  run: NodeRunView | null;
  iterations: readonly Iteration[];
  current: number | null;
  onChoose: (index: number) => void;
  /** Shows the next failed item. */
  onNextFailure: () => void;
}

/** The number of items by status, and a choice of the item to show. */
export function IterationPicker({ node, run, iterations, current, onChoose, onNextFailure }: IterationPickerProps) {
  const counts = countByStatus(iterations);
  const at = iterations.findIndex(({ index }) => index === current);
  const before = iterations[at - 1];
  const after = iterations[at + 1];
  const title = nodeTitle(node);
  return (
    <Group gap="xs" className={classes["iterations"] ?? ""}>
      <ActionIcon
        variant="default"
        aria-label={text.items.previous(title)}
        disabled={before === undefined}
        onClick={() => before !== undefined && onChoose(before.index)}
      >
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <Select
        size="xs"
        w={190}
        searchable
        allowDeselect={false}
        aria-label={text.items.choose(title)}
        value={current === null ? null : String(current)}
        data={iterations.map(({ index, status }) => ({
          value: String(index),
          label: text.items.option(index + 1, graph.statuses[status]),
        }))}
        limit={200}
        onChange={(value) => value !== null && onChoose(Number(value))}
      />
      <ActionIcon
        variant="default"
        aria-label={text.items.next(title)}
        disabled={after === undefined}
        onClick={() => after !== undefined && onChoose(after.index)}
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
      {counts.failed === undefined ? null : (
        <Button size="compact-xs" variant="default" title={text.items.nextFailedKey} onClick={onNextFailure}>
          {text.items.nextFailed}
        </Button>
      )}
      {nodeRunStatuses.map((status) =>
        counts[status] === undefined ? null : <NodeStatus key={status} status={status} count={counts[status]} />,
      )}
      {notStarted(run) === 0 ? null : (
        <Text component="span" size="sm" c="dimmed">
          {text.items.notStarted(notStarted(run))}
        </Text>
      )}
    </Group>
  );
}
