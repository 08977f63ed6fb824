import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ExecutionSummary, ExecutionView } from "../../../schema/contract/execution.ts";
import { Copy } from "../../ui/copy.tsx";
import { Elapsed, TimeAgo } from "../../ui/time.tsx";
import { exactTime, shortTime } from "../../strings/time.ts";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import { startedBy, triggerData } from "./started-by.ts";
import { StartedByView } from "./started-by-view.tsx";
import type { RanVersion } from "./use-definition.ts";
import { useRetries } from "./use-retries.ts";
import { executions as text } from "../../strings/en/executions.ts";
import classes from "./executions.module.css";

interface HeadingProps {
  execution: ExecutionView;
  /** One of its steps waits, or it waits for its turn. */
  isWaiting: boolean;
  /** Its workflow was deleted. */
  deleted: boolean;
  version: RanVersion | null;
}

/** The start, duration, trigger, version and data of an execution. */
export function Heading({ execution, isWaiting, deleted, version }: HeadingProps) {
  const data = triggerData(execution);
  const { at: dueAt } = startedBy(execution);
  const count = Object.keys(data).length;
  const elapsed = <Elapsed from={execution.startedAt} to={execution.finishedAt} />;
  return (
    <Stack gap={4}>
      <Group gap="md" style={{ rowGap: 4 }}>
        <span>{text.heading.started(<TimeAgo at={execution.startedAt} />, exactTime(execution.startedAt))}</span>
        <span>{text.heading[progressOf(execution, isWaiting)](elapsed)}</span>
        <span>
          <StartedByView execution={execution} />
          {dueAt === null ? null : text.heading.due(shortTime(dueAt))}
        </span>
        {execution.key === undefined ? null : <span>{text.heading.withKey(execution.key)}</span>}
        <Retries execution={execution} />
        {deleted ? null : (
          <Anchor component={Link} href={`/workflows/${execution.workflowId}`} inherit>
            {text.heading.workflow(version?.number ?? null)}
          </Anchor>
        )}
        {version === null || version.newest ? null : <span>{text.heading.notNewest}</span>}
        {execution.parentExecutionId === null || execution.trigger.type === "workflow" ? null : (
          <Anchor component={Link} href={`/executions/${execution.parentExecutionId}`} inherit>
            {text.heading.parent}
          </Anchor>
        )}
        <Group gap={2} wrap="nowrap">
          <span className={classes["id"]}>{execution.id}</span>
          <Copy value={execution.id} label={text.heading.copyId} />
        </Group>
      </Group>
      {count === 0 ? (
        <span>{text.heading.noData}</span>
      ) : (
        <Fold title={text.heading.fields(count)}>
          <LongText label={text.heading.data} text={JSON.stringify(data, null, 2)} />
        </Fold>
      )}
    </Stack>
  );
}

function progressOf({ finishedAt, waiting }: ExecutionView, isWaiting: boolean) {
  if (finishedAt !== null) return "took";
  // Before its first step it has only waited; later its steps may have run, too.
  if (waiting !== undefined) return "waiting";
  return isWaiting ? "inProgress" : "running";
}

/** The retries of this execution with their status, so that no one retries it twice. */
function Retries({ execution }: { execution: ExecutionSummary }) {
  const retries = useRetries(execution) ?? [];
  if (retries.length === 0) return null;
  return (
    <Text size="sm" fw={600}>
      {text.heading.retried(
        retries.map(({ id, status }, index) => (
          <span key={id}>
            {index === 0 ? "" : ", "}
            <Anchor component={Link} href={`/executions/${id}`} inherit>
              {status}
            </Anchor>
          </span>
        )),
      )}
    </Text>
  );
}
