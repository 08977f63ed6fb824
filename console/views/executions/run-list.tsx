import { Text, UnstyledButton } from "@mantine/core";
import type { NodeRunView } from "../../../schema/contract/execution.ts";
import type { ForEachNode } from "../../../schema/contract/workflow.ts";
import { nodeTitle } from "../../graph/describe-node.ts";
import { NodeIcon } from "../../graph/node-look.tsx";
import { NodeStatus } from "../../graph/node-status.tsx";
import { Elapsed } from "../../ui/time.tsx";
import { IterationPicker } from "./iteration-picker.tsx";
import type { IterationPath, Occurrence } from "./iterations.ts";
import { waitsFor } from "./waits-for.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import classes from "./executions.module.css";

interface RunListProps {
  found: readonly Occurrence[];
  selected: string | null;
  /** The node run whose error is in the page's banner. */
  inBanner: string | null;
  onSelect: (nodeId: string, path: IterationPath) => void;
  /** Shows another iteration of a forEach. */
  onIteration: (nodeId: string, path: IterationPath) => void;
  onNextFailure: () => void;
}

/** The node runs of an execution as a list: the text version of the graph. */
export function RunList({ found, selected, inBanner, onSelect, onIteration, onNextFailure }: RunListProps) {
  return (
    <ol className={classes["runs"]} aria-label={text.list}>
      {found.map((occurrence) => {
        const { node, run, path, depth, iterations, current } = occurrence;
        return (
          <li key={node.id} style={{ paddingInlineStart: `${depth * 20}px` }}>
            <UnstyledButton
              className={classes["run"] ?? ""}
              aria-pressed={node.id === selected}
              data-selected={node.id === selected || undefined}
              onClick={() => onSelect(node.id, path)}
            >
              <NodeIcon node={node} size={24} />
              <span className={classes["run-text"]}>
                <Text component="span" size="sm" fw={600}>
                  {nodeTitle(node)}
                </Text>
                {run !== null && run.id === inBanner ? null : <RunLine run={run} />}
              </span>
              <RunState run={run} />
            </UnstyledButton>
            {node.type === "forEach" && iterations.length > 0 ? (
              <IterationPicker
                node={node satisfies ForEachNode}
                run={run}
                iterations={iterations}
                current={current}
                onChoose={(index) => onIteration(node.id, [...path, index])}
                onNextFailure={onNextFailure}
              />
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}

/** A node run in one line: why it waits, or its error. */
export function RunLine({ run }: { run: NodeRunView | null }) {
  if (run === null) return null;
  const line = run.waiting === null ? run.error?.message : waitsFor(run.waiting);
  if (line === undefined) return null;
  return (
    <Text
      component="span"
      size="xs"
      c={run.waiting === null ? "var(--mantine-color-error)" : "dimmed"}
      lineClamp={2}
      display="block"
    >
      {line}
    </Text>
  );
}

export function RunState({ run }: { run: NodeRunView | null }) {
  if (run === null) return <span className={classes["quiet"]}>{text.notReached}</span>;
  const { startedAt, deliveredAt, finishedAt, queuedAt } = run.timeline;
  // An agent reports the start with the result. Until then the delivery counts as the start.
  const from = startedAt ?? (run.status === "waiting" || run.status === "running" ? (deliveredAt ?? queuedAt) : null);
  return (
    <span className={classes["run-state"]}>
      <NodeStatus status={run.status} />
      {from === null || run.status === "pending" ? null : (
        <span className={classes["quiet"]}>
          <Elapsed from={from} to={finishedAt} />
        </span>
      )}
    </span>
  );
}
