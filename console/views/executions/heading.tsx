import { Anchor, Group, Stack } from "@mantine/core";
import { Link } from "wouter";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { Copy } from "../../ui/copy.tsx";
import { Elapsed, TimeAgo } from "../../ui/time.tsx";
import { exactTime, shortTime } from "../../strings/time.ts";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import { startedBy, triggerData } from "./started-by.ts";
import { Retries } from "./retries.tsx";
import { StartedByView } from "./started-by-view.tsx";
import type { RanVersion } from "./use-definition.ts";
import classes from "./executions.module.css";

interface HeadingProps {
  execution: ExecutionView;
  /** Its workflow was deleted. */
  deleted: boolean;
  version: RanVersion | null;
}

/** The start, duration, trigger, version and data of an execution. */
export function Heading({ execution, deleted, version }: HeadingProps) {
  const data = triggerData(execution);
  const { at: dueAt } = startedBy(execution);
  const count = Object.keys(data).length;
  return (
    <Stack gap={4}>
      <Group gap="md">
        <span>
          Started <TimeAgo at={execution.startedAt} />, {exactTime(execution.startedAt)}
        </span>
        <span>
          {execution.finishedAt === null ? "Running for " : "Took "}
          <Elapsed from={execution.startedAt} to={execution.finishedAt} />
        </span>
        <span>
          <StartedByView execution={execution} />
          {dueAt === null ? null : `, due ${shortTime(dueAt)}`}
        </span>
        <Retries execution={execution} />
        {deleted ? null : (
          <Anchor component={Link} href={`/workflows/${execution.workflowId}`} inherit>
            Workflow{version === null ? "" : `, version ${version.number}`}
          </Anchor>
        )}
        {version === null || version.newest ? null : <span>not the newest version</span>}
        {execution.parentExecutionId === null || execution.trigger.type === "workflow" ? null : (
          <Anchor component={Link} href={`/executions/${execution.parentExecutionId}`} inherit>
            Parent run
          </Anchor>
        )}
        <Group gap={2} wrap="nowrap">
          <span className={classes["id"]}>{execution.id}</span>
          <Copy value={execution.id} label="Copy the run's id" />
        </Group>
      </Group>
      {count === 0 ? (
        <span>No trigger data.</span>
      ) : (
        <Fold title={`Trigger data (${count} ${count === 1 ? "field" : "fields"})`}>
          <LongText label="Trigger data" text={JSON.stringify(data, null, 2)} />
        </Fold>
      )}
    </Stack>
  );
}
