import { Button, Card, Stack, Text, UnstyledButton } from "@mantine/core";
import { useState } from "react";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { itemLabel } from "./places.ts";
import { RunDetail } from "./run-detail.tsx";
import { RunLine, RunState } from "./run-list.tsx";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import classes from "./executions.module.css";

const SHOWN_AT_FIRST = 100;

/** The node runs as a list, for an execution whose version was deleted. */
export function FlatRuns({ execution, inBanner }: { execution: ExecutionView; inBanner: string | null }) {
  const [count, setCount] = useState(SHOWN_AT_FIRST);
  const [selected, setSelected] = useState<string | null>(null);
  const { nodeRuns } = execution;
  const shown = nodeRuns.find(({ id }) => id === selected) ?? nodeRuns.find(({ status }) => status === "failed");
  return (
    <div className={classes["columns"]}>
      <Card withBorder p={0}>
        <ol className={classes["runs"]} aria-label={text.list}>
          {nodeRuns.slice(0, count).map((run) => (
            <li key={run.id}>
              <UnstyledButton
                className={classes["run"] ?? ""}
                aria-pressed={run.id === shown?.id}
                data-selected={run.id === shown?.id || undefined}
                onClick={() => setSelected(run.id)}
              >
                <span className={classes["run-text"]}>
                  <Text component="span" size="sm" fw={600}>
                    {run.nodeId}
                    {itemLabel(run.iteration)}
                  </Text>
                  {run.id === inBanner ? null : <RunLine run={run} />}
                </span>
                <RunState run={run} />
              </UnstyledButton>
            </li>
          ))}
        </ol>
        {nodeRuns.length <= count ? null : (
          <Button variant="subtle" onClick={() => setCount(count * 4)}>
            {text.showMore(nodeRuns.length)}
          </Button>
        )}
      </Card>
      {shown === undefined ? null : (
        <Card withBorder className={classes["detail"] ?? ""}>
          <Stack>
            <RunDetail
              key={shown.id}
              node={null}
              run={shown}
              nodeId={shown.nodeId}
              workflowId={execution.workflowId}
              inBanner={shown.id === inBanner}
            />
          </Stack>
        </Card>
      )}
    </div>
  );
}
