import { Group, Stack, Text } from "@mantine/core";
import type { AgentView } from "../../../schema/contract/management.ts";
import { agents } from "../../strings/en/agents.ts";
import { Panel } from "../../ui/panel.tsx";
import { Elapsed } from "../../ui/time.tsx";
import { useRead } from "../../api/queries.ts";
import { StatusBadge } from "../../ui/status.tsx";
import { JobLink } from "./job-link.tsx";

const text = agents.jobs;
/** Each job is a separate request. */
const SHOWN_MAX = 20;
const REFRESH_MS = 5_000;

/** The jobs that the agent runs now, with their executions. */
export function RunningJobs({ agent }: { agent: AgentView }) {
  const { runningJobs, runningJobIds, registration } = agent;
  const max = registration?.maxConcurrentJobs ?? null;
  const shown = runningJobIds?.slice(0, SHOWN_MAX) ?? [];
  return (
    <Panel title={agents.fields.runningJobs} beside={<Text fw={600}>{agents.load(runningJobs, max)}</Text>}>
      {runningJobs === 0 ? (
        <Text size="sm" c="dimmed">
          {text.none}
        </Text>
      ) : (
        <Stack gap={6}>
          {shown.map((id) => (
            <RunningJob key={id} id={id} />
          ))}
          {runningJobs > shown.length ? (
            <Text size="sm" c="dimmed">
              {text.notListed(runningJobs - shown.length)}
            </Text>
          ) : null}
        </Stack>
      )}
    </Panel>
  );
}

function RunningJob({ id }: { id: string }) {
  const job = useRead("/api/v1/automation/jobs/{id}", { path: { id } }, { everyMs: REFRESH_MS });
  if (job.data === undefined)
    return <Text size="sm">{job.error === null ? "…" : text.unread(id, job.error.message)}</Text>;
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
