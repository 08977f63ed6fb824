import { Group, Stack, Text } from "@mantine/core";
import type { AgentView } from "../../../schema/contract/management.ts";
import { Panel } from "../../ui/panel.tsx";
import { Elapsed } from "../../ui/time.tsx";
import { useRead } from "../../api/queries.ts";
import { StatusBadge } from "../../ui/status.tsx";
import { loadLabel } from "./agents-table.tsx";
import { JobLink } from "./job-link.tsx";

/** Each job is a separate request. */
const SHOWN_MAX = 20;
const REFRESH_MS = 5_000;

/** The jobs that the agent runs now, with their executions. */
export function RunningJobs({ agent }: { agent: AgentView }) {
  const { runningJobs, runningJobIds, registration } = agent;
  const max = registration?.maxConcurrentJobs ?? null;
  const shown = runningJobIds?.slice(0, SHOWN_MAX) ?? [];
  return (
    <Panel title="Running jobs" beside={<Text fw={600}>{loadLabel(runningJobs, max)}</Text>}>
      {runningJobs === 0 ? (
        <Text size="sm" c="dimmed">
          No running jobs.
        </Text>
      ) : (
        <Stack gap={6}>
          {shown.map((id) => (
            <RunningJob key={id} id={id} />
          ))}
          {runningJobs > shown.length ? (
            <Text size="sm" c="dimmed">
              {shown.length === 0 ? runningJobs : `And ${runningJobs - shown.length} more`}, not shown here.
            </Text>
          ) : null}
        </Stack>
      )}
    </Panel>
  );
}

function RunningJob({ id }: { id: string }) {
  const job = useRead("/api/v1/automation/jobs/{id}", { path: { id } }, { everyMs: REFRESH_MS });
  if (job.data === undefined) return <Text size="sm">{job.error === null ? "…" : `${id}: ${job.error.message}`}</Text>;
  const { status, timeline } = job.data;
  const since = timeline.startedAt ?? timeline.deliveredAt;
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
      <JobLink job={job.data} />
      <Group gap="xs" wrap="nowrap">
        {since === null ? null : (
          <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            <Elapsed from={since} to={timeline.finishedAt} />
          </Text>
        )}
        <StatusBadge status={status} />
      </Group>
    </Group>
  );
}
