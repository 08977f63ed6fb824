import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { PoolView } from "../../../schema/contract/management.ts";
import type { WaitingCode } from "../../../schema/contract/waiting.ts";
import { useRead } from "../../api/queries.ts";
import { pools } from "../../strings/en/pools.ts";
import { Panel } from "../../ui/panel.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { JobLink } from "../agents/job-link.tsx";

const text = pools.waiting;
/** Each job is a separate request, made once. */
const SHOWN_AT_ONCE = 20;

/** Reasons that pass without action by a person. */
const PASSING: ReadonlySet<WaitingCode> = new Set(["full", "next_poll", "moving"]);

/** The queue in order: each job with its execution and the reason that it waits. */
export function WaitingJobs({ pool: { waiting, queueDepth } }: { pool: PoolView }) {
  const [count, setCount] = useState(SHOWN_AT_ONCE);
  const shown = waiting.slice(0, count);
  return (
    <Panel title={text.title} beside={<Text fw={600}>{queueDepth}</Text>}>
      {queueDepth === 0 ? (
        <Text size="sm" c="dimmed">
          {text.none}
        </Text>
      ) : (
        <Stack gap="sm">
          {shown.map((one) => (
            <WaitingJob key={one.jobId} {...one} />
          ))}
          {waiting.length > shown.length ? (
            <Button variant="default" size="xs" onClick={() => setCount(count + SHOWN_AT_ONCE)}>
              {text.showMore(queueDepth)}
            </Button>
          ) : queueDepth > waiting.length ? (
            <Text size="sm" c="dimmed">
              {text.more(queueDepth - waiting.length)}
            </Text>
          ) : null}
        </Stack>
      )}
    </Panel>
  );
}

function WaitingJob({ jobId, queuedAt, code, reason }: PoolView["waiting"][number]) {
  const job = useRead("/api/v1/automation/jobs/{id}", { path: { id: jobId } });
  return (
    <Group gap="sm" align="flex-start" wrap="nowrap">
      <Badge
        color={PASSING.has(code) ? "blue" : "red"}
        variant="light"
        radius="sm"
        tt="none"
        miw={110}
        style={{ flexShrink: 0 }}
      >
        {pools.waitingFor[code]}
      </Badge>
      <Stack gap={0} miw={0}>
        <Group gap={6}>
          {job.data === undefined ? <Text size="sm">{jobId}</Text> : <JobLink job={job.data} />}
          <Text span size="sm" c="dimmed">
            {text.queued(<TimeAgo at={queuedAt} />)}
          </Text>
        </Group>
        <Text size="sm">{reason}</Text>
      </Stack>
    </Group>
  );
}
