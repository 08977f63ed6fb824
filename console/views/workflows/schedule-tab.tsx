import { Alert, Code, List, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import { workflows } from "../../strings/en/workflows.ts";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import { Facts } from "../../ui/facts.tsx";
import { ReadState } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { zonedTime } from "../../strings/time.ts";
import { cronLabel } from "../../workflow-forms/cron-labels.ts";
import { triggerLabel } from "./labels.ts";
import { MissedRuns } from "./missed-runs.tsx";

const text = workflowTriggers.schedule;
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
        <Text size="sm">{text.otherTrigger(triggerLabel(workflow.trigger))}</Text>
      ) : null}
      <MissedRuns workflow={workflow} timezone={schedule?.timezone ?? "UTC"} />
    </Stack>
  );
}

/** The reasons that a schedule starts no runs. */
function WhyNotDue({ workflow, live }: { workflow: WorkflowView; live: WorkflowVersionView | null | undefined }) {
  const reasons = [
    ...(workflow.published ? [] : [text.reasons.notPublished]),
    ...(live && live.trigger.type !== "cron" ? [text.reasons.noSchedule] : []),
    ...(workflow.active ? [] : [workflow.autoDisabledAt === null ? text.reasons.notActive : text.reasons.switchedOff]),
  ];
  if (reasons.length === 0) return null;
  return (
    <Alert color="yellow" title={text.notRunning}>
      {reasons.join(" ")}
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
            [workflows.triggerFacts.expression, <Code key="expression">{expression}</Code>],
            [workflows.triggerFacts.timeZone, timezone],
          ]}
        />
      </Stack>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {isDue ? text.nextRuns : text.wouldRun}
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
