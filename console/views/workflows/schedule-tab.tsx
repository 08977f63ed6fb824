import { Alert, Code, List, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useList, useRead } from "../../api/queries.ts";
import type { MissedRunsView } from "../../../schema/contract/cron.ts";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import { ReadState } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { zonedTime } from "../../strings/time.ts";
import { cronLabel } from "../../workflow-forms/cron-labels.ts";
import { Facts } from "./facts.tsx";
import { count } from "../../strings/format.ts";
import { triggerLabel } from "./labels.ts";

const EVERY_MS = 30_000;
const RUNS = 5;

type Cron = Extract<Trigger, { type: "cron" }>;

/** A schedule as text, with its next times and the missed runs. */
export function ScheduleTab({
  workflow,
  live,
}: {
  workflow: WorkflowView;
  live: WorkflowVersionView | null | undefined;
}) {
  const running = live?.trigger.type === "cron" ? live.trigger : null;
  const schedule = running ?? (workflow.trigger.type === "cron" ? workflow.trigger : null);
  return (
    <Stack gap="lg">
      <WhyNotDue workflow={workflow} live={live} />
      {schedule === null ? null : <Due schedule={schedule} isDue={running !== null && workflow.active} />}
      {running !== null && triggerLabel(running) !== triggerLabel(workflow.trigger) ? (
        <Text size="sm">
          The draft has another trigger: {triggerLabel(workflow.trigger)}. It applies after the next publish.
        </Text>
      ) : null}
      <MissedRuns workflow={workflow} timezone={schedule?.timezone ?? "UTC"} />
    </Stack>
  );
}

/** The reasons that a schedule starts no runs. */
function WhyNotDue({ workflow, live }: { workflow: WorkflowView; live: WorkflowVersionView | null | undefined }) {
  const reasons = [
    ...(workflow.published ? [] : ["it is not published"]),
    ...(live && live.trigger.type !== "cron" ? ["the published version has no schedule"] : []),
    ...(workflow.active ? [] : [workflow.autoDisabledAt === null ? "it is not active" : "the service switched it off"]),
  ];
  if (reasons.length === 0) return null;
  return (
    <Alert color="yellow" title="The schedule is not running">
      It starts no runs: {reasons.join(", and ")}.
    </Alert>
  );
}

function Due({ schedule, isDue }: { schedule: Cron; isDue: boolean }) {
  const { expression, timezone = "UTC" } = schedule;
  const preview = useRead(
    "/api/v1/automation/schedules/preview",
    { query: { expression, timezone, count: RUNS } },
    { everyMs: EVERY_MS },
  );
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      <Stack gap="xs">
        <Title order={2} size="h5">
          {cronLabel(expression)}
        </Title>
        <Facts
          facts={[
            { name: "Expression", value: <Code>{expression}</Code> },
            { name: "Time zone", value: timezone },
          ]}
        />
      </Stack>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {isDue ? "Next runs" : "Would run at"}
        </Title>
        <ReadState read={preview}>
          {({ nextRuns }) => (
            <List size="sm" spacing={4} type="ordered">
              {nextRuns.map((at) => (
                <List.Item key={at}>
                  {zonedTime(at, timezone)} (<TimeAgo at={at} />)
                </List.Item>
              ))}
            </List>
          )}
        </ReadState>
      </Stack>
    </SimpleGrid>
  );
}

function MissedRuns({ workflow, timezone }: { workflow: WorkflowView; timezone: string }) {
  const list = useList("/api/v1/automation/workflows/{id}/missed-runs", {
    path: { id: workflow.id },
    query: { limit: 20 },
  });
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        Missed runs
      </Title>
      <ReadState read={{ data: list.items, error: list.error, refetch: list.refetch }}>
        {(missed) =>
          missed.length === 0 ? (
            <Text size="sm">None. Every due run was started while the workflow was active.</Text>
          ) : (
            <>
              <Text size="sm" c="dimmed">
                These runs were not started: the service or its database was unavailable, or more than ten minutes late.
                Missed runs are not repeated, except the latest one of the last ten minutes.
              </Text>
              <List size="sm" spacing={4}>
                {missed.map((gap) => (
                  <List.Item key={gap.firstDueAt}>{gapLabel(gap, timezone)}</List.Item>
                ))}
              </List>
              {list.hasNextPage ? <Text size="xs">Only the latest missed runs are shown.</Text> : null}
            </>
          )
        }
      </ReadState>
    </Stack>
  );
}

function gapLabel({ firstDueAt, lastDueAt, count: number }: MissedRunsView, timezone: string): string {
  if (number === 1) return `1 run, due ${zonedTime(firstDueAt, timezone)}`;
  return `${count(number, "run")}, due from ${zonedTime(firstDueAt, timezone)} to ${zonedTime(lastDueAt, timezone)}`;
}
