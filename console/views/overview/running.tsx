import { Text } from "@mantine/core";
import type { LiveRun, Overview } from "../../../schema/contract/overview.ts";
import { OVERVIEW_RUNS_MAX } from "../../../schema/limits.ts";
import { overview as text } from "../../strings/en/overview.ts";
import { StatusBadge } from "../../ui/status.tsx";
import { Elapsed } from "../../ui/time.tsx";
import { Row, nameOf } from "./row.tsx";
import { ListSection } from "./section.tsx";

/** The running executions, the oldest first: one of them may be stuck. */
export function Running({ overview }: { overview: Overview }) {
  const { running } = overview;
  return (
    <ListSection
      title={text.running.title}
      section={running}
      count={running.count}
      isMore={running.count === OVERVIEW_RUNS_MAX}
      all={{ href: "/executions?status=running", label: text.running.all }}
      row={(run) => <RunRow key={run.executionId} run={run} />}
    />
  );
}

function RunRow({ run }: { run: LiveRun }) {
  return (
    <Row
      href={`/executions/${run.executionId}`}
      name={nameOf(run)}
      beside={
        <>
          {run.key === undefined ? null : <Text size="sm">{run.key}</Text>}
          <StatusBadge status={run.isWaiting ? "waiting" : "running"} />
        </>
      }
      time={text.running.since(text.running.triggers[run.triggerType], <Elapsed from={run.startedAt} to={null} />)}
    />
  );
}
